// Batched matmuls, as Muon needs them.
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::ops {

// scale a b + onto_scale onto, for a (G, M, K) and b (G, K, N).
struct BatchedProduct {
  at::Tensor a{}, b{};  // contiguous, or such a tensor transposed
  double scale = 1;
  at::Tensor onto{};  // (G, M, N), or undefined: nothing
  double onto_scale = 1;
  at::Tensor out{};  // where it goes; undefined: into a new tensor
};
at::Tensor batched_product(const BatchedProduct& product);

}  // namespace mgdm::ops
