// Clipping, AdamW and Muon for all tensors of a model in a few launches. Lists of tensors are in
// host memory and need not outlive a call. Values that change from step to step are in device
// memory, so that a CUDA graph can be replayed. Results are equal bit for bit in every run.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace mgdm::ops::cuda {

// Gradients of bounded length: the norm of all together, and where it is above `max_norm`
//
//   g *= max_norm / (norm + 1e-6)         as torch.nn.utils clips, so that a norm of 0 is harmless
struct GradientTensor {
  float* gradient;
  std::int64_t count;  // of numbers
};

// Floats for `tensors` (n).
std::size_t clip_workspace(const GradientTensor* tensors, int n);

// *norm becomes the norm before clipping; max_norm 0 is no limit.
cudaError_t launch_clip(const GradientTensor* tensors, int n, float max_norm, float* norm,
                        float* workspace, cudaStream_t stream);

// AdamW (training/adamw.h):
//
//   p    -= lr * decay * p                  where the tensor decays
//   m     = beta1 m + (1 - beta1) g         v = beta2 v + (1 - beta2) g^2
//   p    -= lr * m / (1 - beta1^n) / (sqrt(v / (1 - beta2^n)) + eps)      n = number of this step
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
cudaError_t launch_adamw(const AdamwTensor* tensors, int n, const AdamwSettings& settings,
                         const float* factor, float* steps, float* workspace, cudaStream_t stream);

// What Muon (training/muon.h) does beside its matrix products:
//
//   launch_muon_momentum:  m = mu m + g        u = g + mu m        x = u / (|u| + 1e-7), in bf16
//   launch_muon_update:    p = (1 - lr decay) p - lr scale x
//
// Between them the products turn x. The x of matrices of one shape lie one behind the other, so
// that their products are one batch. A launch looks only at what it needs.
struct MuonTensor {
  float* value{};           // p
  const float* gradient{};  // g; null: 0
  float* momentum{};        // m
  void* turned{};           // x, bf16
  std::int64_t count{};     // of numbers
  float scale{};            // sqrt(max(1, rows / columns))
};

// Floats for launch_muon_momentum.
std::size_t muon_workspace(const MuonTensor* tensors, int n);

cudaError_t launch_muon_momentum(const MuonTensor* tensors, int n, float mu, float* workspace,
                                 cudaStream_t stream);

// The learning rate is lr * *factor.
cudaError_t launch_muon_update(const MuonTensor* tensors, int n, float lr, float weight_decay,
                               const float* factor, cudaStream_t stream);

}  // namespace mgdm::ops::cuda
