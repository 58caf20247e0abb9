// Gradients of bounded length: the norm of all together, and where it is above `max_norm`
//
//   g *= max_norm / (norm + 1e-6)         as torch.nn.utils clips, so that a norm of 0 is harmless
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace mgdm::ops::cuda {

struct GradientTensor {
  float* gradient;
  std::int64_t count;  // of numbers
};

// Floats for `tensors` (n).
std::size_t clip_workspace(const GradientTensor* tensors, int n);

// *norm becomes the norm before clipping; max_norm 0 is no limit. `tensors` lies in host memory and
// may go after the call. Same bits in every run.
cudaError_t launch_clip(const GradientTensor* tensors, int n, float max_norm, float* norm,
                        float* workspace, cudaStream_t stream);

}  // namespace mgdm::ops::cuda
