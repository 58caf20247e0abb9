// The CUDA kernels, as plain functions on device pointers: these .cu files know nothing of
// LibTorch. Work is queued on `stream`; arguments are checked by the caller (*_function.cc).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace mgdm::ops::cuda {

// out[b, n] for b < rows, n < columns: draw n of Stream(seed, purpose, items[b], *step).uniform().
void launch_uniform(float* out, const std::int64_t* items, const std::int64_t* step,
                    std::int64_t rows, std::int64_t columns, std::uint64_t seed,
                    std::uint32_t purpose, cudaStream_t stream);

// LibTorch's generator for one kernel: plain numbers, or, while a CUDA graph is recorded, places
// that hold them when it is replayed.
struct RandomState {
  const std::uint64_t* seed_at = nullptr;
  const std::uint64_t* offset_at = nullptr;  // `offset` is added to what is there
  std::uint64_t seed = 0, offset = 0;
};

// bf16 numbers are `void` here, so that no CUDA type leaves the .cu files.

// y = x + dropout(branch + its bias) and n = norm(y): layer norm with weight and bias, or without
// them the RMS norm. Everything is (rows, columns) and contiguous.
struct ResidualNormForward {
  const void* x;
  bool stream_is_bf16;  // x and y, with an RMS norm and a branch in bf16; else they are floats
  const void* branch;   // null: y is x, and not written
  bool branch_is_bf16;
  const float* branch_bias;    // (columns), or null
  const float *weight, *bias;  // null: RMS norm
  void* y;
  void* n;       // bf16
  float* scale;  // (rows): 1 / sigma, or 1 / rms, of y; null: not wanted
  std::int64_t rows, columns;
  float eps, dropout;
  RandomState random;
  const std::int64_t* picked = nullptr;  // (rows): which rows of x these are; null: all in turn
};
void launch_residual_norm(const ResidualNormForward& arguments, cudaStream_t stream);

// The RMS norm's gradient needs no y: n, which the next product keeps anyway in bf16, and forward's
// scale say the same in half the bytes. It is the gradient at n as rounded, which is what that
// product saw.
struct ResidualNormBackward {
  const void* dy;        // null: zero
  bool stream_is_bf16;   // dy and dx
  const void* dn;        // bf16; null: zero, and `kept` is not read
  const void* dn_again;  // of n's second reader, where the stream is bf16 and dy null; null: none
  const void* kept;      // y (float) of the layer norm, n (bf16) of the RMS norm
  const float* scale;    // of the RMS norm (rows)
  const float* weight;   // null: RMS norm
  void* dx;
  void* dbranch;  // null: not wanted
  bool branch_is_bf16;
  float* dparameters;  // of weight, bias and the branch's bias (3, columns); not for the RMS norm
  float* parts;        // workspace for them (residual_norm_parts(), 3, columns)
  std::int64_t rows, columns;
  float eps, dropout;
  RandomState random;
};
int residual_norm_parts();  // blocks: two on each multiprocessor
void launch_residual_norm_backward(const ResidualNormBackward& arguments, cudaStream_t stream);

// out = the sum of `count` parts in bf16, or out plus that. Multiples of 8 numbers, aligned to 16
// bytes.
constexpr int kMostStreams = 8;
struct StreamSum {
  const void* parts[kMostStreams] = {};
  int count = 0;
  float* out;
  bool adds;
  std::int64_t numbers;
};
void launch_sum_streams(const StreamSum& sum, cudaStream_t stream);

// Which widths there are kernels for.
bool residual_norm_takes(std::int64_t columns);

}  // namespace mgdm::ops::cuda
