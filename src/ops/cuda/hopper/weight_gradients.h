// The gradient of a weight that was used several times, as those of looped networks are, in one
// launch: the sum over its uses y = x W^T of
//
//   dW = dy^T x
//
// dy (rows, outputs) and x (rows, inputs) are bf16, contiguous, aligned to 16 bytes. Where the sum
// over rows is cut into parts, these are added to dW atomically in fp32, so the last bits depend on
// their order.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace mgdm::ops::cuda {

constexpr int kMostUses = 8;

struct WeightGradients {
  std::int64_t rows, outputs, inputs;
  int uses;
  const void *dy[kMostUses], *x[kMostUses];
  float* sum;  // (outputs, inputs): what is there is added to
};
void launch_weight_gradients(const WeightGradients& arguments, cudaStream_t stream);

// Whether the current device has the units, and there are tiles for such a weight.
bool weight_gradients_take(std::int64_t outputs, std::int64_t inputs);

}  // namespace mgdm::ops::cuda
