// The orders in which positions are shown. An order looks at one pass of the network and says which
// positions are masked after it.
//
//   topk       the positions whose score is below a cut-off, the floor(L t/T)-th smallest score
//              counted from 0; score = log-probability + noise (paper)
//   margin     the same with score p1 - p2, how far the best token leads (Kim et al. 2025)
//   random     each masked position stays masked with probability t/(t+1) (D3PM)
//   threshold  what is masked and not surer than the threshold
//   entropy    all but the largest set of masked positions whose entropies sum to at most the bound
//
// Scores that tie with the cut-off are shown, so topk and margin may mask fewer than floor(L t/T)
// positions; that is the released rule. The last two show at least one position, the surest, per
// pass. L is the number of diffused positions of an example; examples in one batch may differ in
// it.
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
