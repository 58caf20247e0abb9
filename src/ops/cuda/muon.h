// What Muon (training/muon.h) does beside its matrix products, for all matrices at once:
//
//   launch_muon_momentum:  m = mu m + g        u = g + mu m        x = u / (|u| + 1e-7), in bf16
//   launch_muon_update:    p = (1 - lr decay) p - lr scale x
//
// Between them the products turn x. The x of matrices of one shape lie one behind the other, so
// that their products are one batch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace mgdm::ops::cuda {

// A launch looks only at what it needs.
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

// `tensors` (n) lies in host memory and may go after the call. Same bits in every run.
cudaError_t launch_muon_momentum(const MuonTensor* tensors, int n, float mu, float* workspace,
                                 cudaStream_t stream);

// The learning rate is lr * *factor.
cudaError_t launch_muon_update(const MuonTensor* tensors, int n, float lr, float weight_decay,
                               const float* factor, cudaStream_t stream);

}  // namespace mgdm::ops::cuda
