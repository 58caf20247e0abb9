// Self-attention of whole heads, forward and backward, on bf16 tensor cores: launchers that take
// device pointers and know nothing of LibTorch.
//
// For every batch b and head h, with q, k, v (N, D) read from where the qkv product wrote them:
//   weights = softmax(scale q k^T)          over all keys, or over keys 0..i for query i (causal)
//   out     = dropout(weights) v
// With norm set, q and k are first divided by their root mean square, sqrt(mean over D + eps).
//
// A block owns a head: its rows are on chip, every sum has one owner and a fixed order, and there
// are no atomics, so equal inputs give equal bits.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "base/philox.h"  // MGDM_HOST_DEVICE
#include "ops/cuda/launchers.h"

namespace mgdm::ops::cuda {

struct AttentionSettings {
  std::int64_t batch, length, heads, size;  // B, N, H, D
  bool causal = false;
  float scale = 1;  // positive
  bool norm = false;
  float eps = 0;            // of the norm; positive
  float dropout = 0;        // share of the weights to drop, 0 <= share < 1; see attention_dropout.h
  RandomState random = {};  // the same for forward and backward
};

// bf16 numbers are `void` here, so that no CUDA type leaves the .cu files. Pointers to bf16 are
// aligned to 16 bytes.
struct AttentionForward {
  AttentionSettings settings;
  const void* qkv;  // (B, N, 3, H, D) bf16
  void* out;        // (B, N, H D) bf16
  float* lse;       // (B, H, N): ln of the sum of exp(score); null where backward is not wanted
  // (B, N), or null: qkv is (R, 3, H, D), of which a position has the row of this number. Only
  // without dropout.
  const std::int64_t* places = nullptr;
};
void launch_attention(const AttentionForward& arguments, cudaStream_t stream);

struct AttentionBackward {
  AttentionSettings settings;
  const void* qkv;   // as in forward
  const void* out;   // what forward wrote
  const float* lse;  // what forward wrote
  const void* dout;  // (B, N, H D) bf16
  void* dqkv;        // (B, N, 3, H, D) bf16
  // Where attention_sums_bias() and wanted, the gradient of a bias that was added to qkv: the sum
  // over B and N, (3, H, D).
  float* dbias = nullptr;
  float* workspace = nullptr;  // (B, 3, H, D), for that
};
void launch_attention_backward(const AttentionBackward& arguments, cudaStream_t stream);

// For smaller heads there are no registers left.
MGDM_HOST_DEVICE constexpr bool attention_sums_bias(std::int64_t size) { return size == 64; }

// Which heads there are kernels for: N up to 512 of size 16, 32 or 64, where the current device has
// the shared memory (an H200 has it for all of them).
bool attention_takes(std::int64_t length, std::int64_t size);

}  // namespace mgdm::ops::cuda
