// What every decoder takes and gives.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace mgdm::engine {

struct Batch {
  at::Tensor tokens;  // (B, N) int64; what stands at positions that are not frozen is ignored
  at::Tensor frozen;  // (B, N) bool: given, never changed
  at::Tensor items;   // (B) int64: who an example is, for its random draws
  std::int64_t attempt = 0;  // which try at it this is, from 0: each has draws of its own
};

struct Result {
  at::Tensor tokens;          // (B, N) int64
  at::Tensor forward_passes;  // (B) int64: passes until this example was finished
};

// Called after every pass with its number (from 0), the tokens (B, N) as they are now, [MASK] where
// nothing is shown yet, and the probability (B, N) the network gave its predictions (1 where
// frozen). Returning false stops decoding there and then. The tensors must not be changed.
using OnStep =
    std::function<bool(int step, const at::Tensor& tokens, const at::Tensor& confidence)>;

// Uniform draws (B, columns) for a pass of the batch's try, keyed by (seed, kDecode, item,
// decoding::draw_step(attempt, pass)).
at::Tensor draws(const Batch& batch, std::int64_t seed, std::int64_t pass, std::int64_t columns);

// The tokens before the first pass: (B, N), [MASK] wherever not frozen.
at::Tensor all_masked(const Batch& batch);

}  // namespace mgdm::engine
