// Kernel 1 adds up the squares of each chunk; kernel 2, one block, makes the norm and the factor of
// them; kernel 3 multiplies, and reads nothing where the factor is 1.
#include "ops/cuda/chunks.cuh"
#include "ops/cuda/updates.h"

namespace mgdm::ops::cuda {
namespace {

constexpr int kNormThreads = 1024;

__global__ void __launch_bounds__(kChunkThreads)
    squares_kernel(const __grid_constant__ Table<GradientTensor> table, float* sums) {
  const Chunk chunk = my_chunk(table);
  const float* g_at = table.tensor[chunk.tensor].gradient;
  float sum = 0;
  for_each_number(chunk, aligned(g_at), [&]<int kWidth>(std::int64_t at) {
    const Numbers<kWidth> g = read<kWidth>(g_at + at);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) sum += g.value[i] * g.value[i];
  });
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[table.chunks_before + static_cast<int>(blockIdx.x)] = sum;
}

__global__ void __launch_bounds__(kNormThreads)
    norm_kernel(const float* sums, std::int64_t count, float max_norm, float* norm_out,
                float* factor) {
  float sum = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += kNormThreads) sum += sums[i];
  const float norm = sqrtf(block_sum(sum));
  if (threadIdx.x != 0) return;
  *norm_out = norm;
  const float clip = max_norm / (norm + 1e-6f);
  *factor = clip > 1 ? 1.0f : clip;  // NaN stays
}

__global__ void __launch_bounds__(kChunkThreads)
    scale_kernel(const __grid_constant__ Table<GradientTensor> table, const float* factor) {
  const float by = *factor;
  if (by == 1) return;
  const Chunk chunk = my_chunk(table);
  float* g_at = table.tensor[chunk.tensor].gradient;
  for_each_number(chunk, aligned(g_at), [&]<int kWidth>(std::int64_t at) {
    Numbers<kWidth> g = read<kWidth>(g_at + at);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) g.value[i] *= by;
    write(g_at + at, g);
  });
}

}  // namespace

std::size_t clip_workspace(const GradientTensor* tensors, int n) {
  return 1 + static_cast<std::size_t>(chunks_of(tensors, n));
}

cudaError_t launch_clip(const GradientTensor* tensors, int n, float max_norm, float* norm,
                        float* workspace, cudaStream_t stream) {
  float *factor = workspace, *sums = workspace + 1;
  for_each_table(tensors, n, [&](const Table<GradientTensor>& table, int chunks) {
    squares_kernel<<<chunks, kChunkThreads, 0, stream>>>(table, sums);
  });
  norm_kernel<<<1, kNormThreads, 0, stream>>>(sums, chunks_of(tensors, n), max_norm, norm, factor);
  if (max_norm > 0)
    for_each_table(tensors, n, [&](const Table<GradientTensor>& table, int chunks) {
      scale_kernel<<<chunks, kChunkThreads, 0, stream>>>(table, factor);
    });
  return cudaGetLastError();
}

}  // namespace mgdm::ops::cuda
