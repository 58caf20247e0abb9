// Scaled dot-product self-attention: mgdm's loops for float on the CPU, mgdm's kernels or
// LibTorch's on CUDA.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mgdm::ops {

// Keys or values of the positions that a decoder has seen.

// (B, H, M, D), in memory with spare room: new positions are appended, and the buffer is copied
// only when it is full and grows by a quarter. Without gradients.
class SeenPositions {
 public:
  // Appends `now` (B, H, N, D) and returns all positions, valid until the next call.
  at::Tensor with(const at::Tensor& now);

  // The positions of some rows, by their numbers (R) int64.
  SeenPositions of_rows(const at::Tensor& rows) const;

  std::int64_t count() const { return count_; }

 private:
  at::Tensor room_;
  std::int64_t count_ = 0;
};

struct AttentionForm {
  bool causal = false;  // position n sees positions up to its own
  double scale = 1;
  double dropout = 0;        // fraction of the attention weights that is dropped
  double head_norm_eps = 0;  // above 0: queries and keys are x / sqrt(mean(x^2) + eps), per head
};

struct KeysAndValues {
  SeenPositions keys, values;
};

// softmax(scale q k^T) v for queries, keys and values from one matmul: qkv (B, N, 3, H, D) ->
// (B, N, H D). With `seen` the N positions follow those in it and are appended to it.
at::Tensor attention(const at::Tensor& qkv, const AttentionForm& form,
                     KeysAndValues* seen = nullptr);

// attention() where each position takes one of the R rows of qkv (R, 3, H, D): places (B, N) int64
// says which.
at::Tensor attention_at(const at::Tensor& qkv, const at::Tensor& places, const AttentionForm& form);

// attention() of qkv = x W^T + b, with x (B, N, C), weight (3 H D, C) and bias (3 H D), in `heads`
// H.
at::Tensor attention_of(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                        std::int64_t heads, const AttentionForm& form,
                        KeysAndValues* seen = nullptr);

// Attention of q (B, H, N, D) over k and v (B, H, M, D), whose last N positions are those of the
// queries -> (B, H, N, D). Heads are not normalised.
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const AttentionForm& form);

}  // namespace mgdm::ops
