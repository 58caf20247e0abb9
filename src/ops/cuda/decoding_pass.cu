// A block decides about one row. First its logits come to shared memory, from device memory or as
// the head's product with hidden states; decoding_choice.cuh does the rest.
#include "ops/cuda/decoding_choice.cuh"
#include "ops/cuda/decoding_pass.h"
#include "ops/cuda/matrix_units.cuh"

namespace mgdm::ops::cuda {
namespace {

constexpr int kThreads = kChoiceThreads, kWarps = kChoiceWarps;

// Logits (N, V) of hidden states (N, C). The head is split into three bf16 parts, which together
// are the fp32 number: products are exact, sums as in fp32. A warp makes 16 positions by 8 tokens.
__device__ void apply_head(const DecodingPass& pass, std::int64_t begin, float* logits) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int row = lane / 4, column = lane % 4 * 2;  // of the lane's numbers in a piece
  const int across = (pass.vocabulary + 7) / 8, pieces = (pass.length + 15) / 16 * across;
  for (int piece = warp; piece < pieces; piece += kWarps) {
    const int n = piece / across * 16 + row, v = piece % across * 8;
    const auto state_of = [&](int position) {
      const int read = min(pass.shift ? max(position - 1, 0) : position, pass.length - 1);
      return static_cast<const __nv_bfloat16*>(pass.hidden) + (begin + read) * pass.width + column;
    };
    const auto pair_at = [](const __nv_bfloat16* at) {
      return *reinterpret_cast<const unsigned*>(at);
    };
    const __nv_bfloat16 *const upper = state_of(n), *const lower = state_of(n + 8);
    const float* const weights =
        pass.head + static_cast<std::int64_t>(min(v + row, pass.vocabulary - 1)) * pass.width +
        column;
    float sums[3][4] = {};
#pragma unroll 4
    for (int k = 0; k < pass.width; k += 16) {
      const uint4 a{pair_at(upper + k), pair_at(lower + k), pair_at(upper + k + 8),
                    pair_at(lower + k + 8)};
      float2 left = *reinterpret_cast<const float2*>(weights + k);
      float2 right = *reinterpret_cast<const float2*>(weights + k + 8);
#pragma unroll
      for (int part = 0; part < 3; ++part)
        multiply_add(sums[part], a, take_bf16(left), take_bf16(right));
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int position = n + i / 2 * 8, token = v + column + i % 2;
      if (position < pass.length && token < pass.vocabulary)
        logits[position * pass.vocabulary + token] = sums[0][i] + (sums[1][i] + sums[2][i]);
    }
  }
}

__global__ void __launch_bounds__(kThreads) decoding_pass_kernel(const DecodingPass pass) {
  extern __shared__ float memory[];
  const int row = static_cast<int>(blockIdx.x);
  if (!pass.active[row]) return;
  const std::int64_t begin = static_cast<std::int64_t>(row) * pass.length;
  decide(pass, row, *pass.first_draw, memory, [&](float* logits) {
    if (pass.hidden != nullptr)
      apply_head(pass, begin, logits);
    else
      for (int i = static_cast<int>(threadIdx.x); i < pass.length * pass.vocabulary; i += kThreads)
        logits[i] = pass.logits[begin * pass.vocabulary + i];
  });
}

}  // namespace

std::size_t decoding_pass_memory(std::int64_t length, std::int64_t vocabulary) {
  return static_cast<std::size_t>(length) *
         (sizeof(Position) + sizeof(float) * static_cast<std::size_t>(1 + vocabulary));
}

cudaError_t launch_decoding_pass(const DecodingPass& arguments, cudaStream_t stream) {
  if (arguments.rows == 0) return cudaSuccess;
  const std::size_t shared = decoding_pass_memory(arguments.length, arguments.vocabulary);
  const cudaError_t error = cudaFuncSetAttribute(
      decoding_pass_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
  if (error != cudaSuccess) return error;
  decoding_pass_kernel<<<static_cast<unsigned>(arguments.rows), kThreads, shared, stream>>>(
      arguments);
  return cudaGetLastError();
}

}  // namespace mgdm::ops::cuda
