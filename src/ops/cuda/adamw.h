// AdamW (training/adamw.h) for all tensors of a model:
//
//   p    -= lr * decay * p                  where the tensor decays
//   m     = beta1 m + (1 - beta1) g         v = beta2 v + (1 - beta2) g^2
//   p    -= lr * m / (1 - beta1^n) / (sqrt(v / (1 - beta2^n)) + eps)      n = number of this step
//
// What changes from step to step lies in device memory, so that a CUDA graph can be replayed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace mgdm::ops::cuda {

struct AdamwTensor {
  float* value;           // p
  const float* gradient;  // g
  float *mean, *square;   // m, v
  std::int64_t count;     // of numbers
  bool decays;
};

struct AdamwSettings {
  double lr, beta1, beta2, eps, weight_decay;
};

constexpr int kAdamwWorkspace = 3;  // floats

// One step with learning rate lr * *factor. *steps, the number of steps so far, grows by 1.
// `tensors` lies in host memory and may go after the call. Same bits in every run.
cudaError_t launch_adamw(const AdamwTensor* tensors, int n, const AdamwSettings& settings,
                         const float* factor, float* steps, float* workspace, cudaStream_t stream);

}  // namespace mgdm::ops::cuda
