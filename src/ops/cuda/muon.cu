// Kernel 1 moves the momentum and adds up the squares of each chunk's u; kernel 2 makes the norms
// of them and writes x. Both compute u from m and g: it is cheaper than to store it in between, and
// rounded only once.
#include "ops/cuda/chunks.cuh"
#include "ops/cuda/updates.h"

namespace mgdm::ops::cuda {
namespace {

__device__ __forceinline__ bool may_take_four(const MuonTensor& t) {
  return aligned(t.value) && aligned(t.gradient) && aligned(t.momentum) && aligned(t.turned, 8);
}

template <int kWidth>
__device__ __forceinline__ Numbers<kWidth> gradient_at(const MuonTensor& t, std::int64_t at) {
  return t.gradient != nullptr ? read<kWidth>(t.gradient + at) : Numbers<kWidth>{};
}

__global__ void __launch_bounds__(kChunkThreads)
    momentum_kernel(const __grid_constant__ Table<MuonTensor> table, float mu, float* sums) {
  const Chunk chunk = my_chunk(table);
  const MuonTensor t = table.tensor[chunk.tensor];
  float sum = 0;
  for_each_number(chunk, may_take_four(t), [&]<int kWidth>(std::int64_t at) {
    const Numbers<kWidth> g = gradient_at<kWidth>(t, at);
    Numbers<kWidth> m = read<kWidth>(t.momentum + at);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      m.value[i] = mu * m.value[i] + g.value[i];
      const float u = g.value[i] + mu * m.value[i];
      sum += u * u;
    }
    write(t.momentum + at, m);
  });
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[table.chunks_before + static_cast<int>(blockIdx.x)] = sum;
}

__global__ void __launch_bounds__(kChunkThreads)
    normalize_kernel(const __grid_constant__ Table<MuonTensor> table, float mu, const float* sums) {
  const Chunk chunk = my_chunk(table);
  const MuonTensor t = table.tensor[chunk.tensor];
  // All blocks of a matrix add up its chunks' sums, in the same order.
  const float* own = sums + table.chunks_before;
  float sum = 0;
  for (int i = table.first_chunk[chunk.tensor] + static_cast<int>(threadIdx.x);
       i < table.first_chunk[chunk.tensor + 1]; i += kChunkThreads)
    sum += own[i];
  const float scale = 1 / (sqrtf(block_sum(sum)) + 1e-7f);
  for_each_number(chunk, may_take_four(t), [&]<int kWidth>(std::int64_t at) {
    const Numbers<kWidth> g = gradient_at<kWidth>(t, at), m = read<kWidth>(t.momentum + at);
    Numbers<kWidth> x;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) x.value[i] = (g.value[i] + mu * m.value[i]) * scale;
    write(static_cast<__nv_bfloat16*>(t.turned) + at, x);
  });
}

__global__ void __launch_bounds__(kChunkThreads)
    update_kernel(const __grid_constant__ Table<MuonTensor> table, float lr, float weight_decay,
                  const float* factor) {
  const Chunk chunk = my_chunk(table);
  const MuonTensor t = table.tensor[chunk.tensor];
  const float rate = *factor * lr, keep = 1 - rate * weight_decay, by = rate * t.scale;
  for_each_number(chunk, may_take_four(t), [&]<int kWidth>(std::int64_t at) {
    const Numbers<kWidth> x = read<kWidth>(static_cast<const __nv_bfloat16*>(t.turned) + at);
    Numbers<kWidth> p = read<kWidth>(t.value + at);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) p.value[i] = p.value[i] * keep - by * x.value[i];
    write(t.value + at, p);
  });
}

}  // namespace

std::size_t muon_workspace(const MuonTensor* tensors, int n) {
  return static_cast<std::size_t>(chunks_of(tensors, n));
}

cudaError_t launch_muon_momentum(const MuonTensor* tensors, int n, float mu, float* workspace,
                                 cudaStream_t stream) {
  for_each_table(tensors, n, [&](const Table<MuonTensor>& table, int chunks) {
    momentum_kernel<<<chunks, kChunkThreads, 0, stream>>>(table, mu, workspace);
    normalize_kernel<<<chunks, kChunkThreads, 0, stream>>>(table, mu, workspace);
  });
  return cudaGetLastError();
}

cudaError_t launch_muon_update(const MuonTensor* tensors, int n, float lr, float weight_decay,
                               const float* factor, cudaStream_t stream) {
  for_each_table(tensors, n, [&](const Table<MuonTensor>& table, int chunks) {
    update_kernel<<<chunks, kChunkThreads, 0, stream>>>(table, lr, weight_decay, factor);
  });
  return cudaGetLastError();
}

}  // namespace mgdm::ops::cuda
