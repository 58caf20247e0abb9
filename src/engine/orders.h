// The orders of decoding/orders.h on tensors, for a whole batch at once: that header says what each
// does. Examples in one batch may differ in L, the number of diffused positions.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

#include "spec/decoding_settings.h"

namespace mgdm::engine {

struct Pass {
  std::int64_t t = 0;    // T-1 in the first pass, 0 in the last
  at::Tensor eligible;   // (B, N) bool: what may be masked after it
  at::Tensor masked;     // (B, N) bool: what was masked before it
  at::Tensor diffused;   // (B, N) bool: what is not frozen
  at::Tensor log_probs;  // (B, N, V)
  at::Tensor score;      // (B, N) log-probability of the predicted token
  at::Tensor draws;      // (B, N) uniform over [0, 1); undefined when nothing is stochastic
};

// (B, N) bool, a subset of pass.eligible.
using Order = at::Tensor (*)(const Pass& pass, const spec::DecodingSettings& settings);
Order find_order(std::string_view name);

// Standard Gumbel noise from uniform draws over [0, 1).
at::Tensor gumbel(const at::Tensor& uniform);

}  // namespace mgdm::engine
