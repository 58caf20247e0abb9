// Many tensors in one launch. Each is cut in chunks of kChunk numbers, a block takes one chunk, and
// the table that tells it which travels as the kernel's parameter: nothing is copied to the device
// first, and a CUDA graph keeps it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "ops/cuda/warp.cuh"

namespace mgdm::ops::cuda {

constexpr int kChunk = 8192;
constexpr int kChunkThreads = 256;  // of a block
// Of one launch; more tensors take more launches. The table stays below 4 KB, as much as kernels
// took before CUDA 12.1.
constexpr int kTableTensors = 56;

inline std::int64_t chunks_of(std::int64_t count) { return (count + kChunk - 1) / kChunk; }

template <class Tensor>
std::int64_t chunks_of(const Tensor* tensors, int n) {
  std::int64_t chunks = 0;
  for (int i = 0; i < n; ++i) chunks += chunks_of(tensors[i].count);
  return chunks;
}

// Tensors of a kind, up to kTableTensors of them.
template <class Tensor>
struct Table {
  Tensor tensor[kTableTensors];
  int first_chunk[kTableTensors + 1];  // of this launch
  int tensors;
  int chunks_before;  // of earlier launches
};

// Calls launch(table, chunks) for up to kTableTensors tensors at a time; empty ones are left out.
template <class Tensor, class Launch>
void for_each_table(const Tensor* tensors, int n, Launch&& launch) {
  Table<Tensor> table{};
  const auto flush = [&] {
    const int chunks = table.first_chunk[table.tensors];
    if (chunks > 0) launch(table, chunks);
    table.chunks_before += chunks;
    table.tensors = 0;
  };
  for (int i = 0; i < n; ++i) {
    if (tensors[i].count == 0) continue;
    table.tensor[table.tensors] = tensors[i];
    table.first_chunk[table.tensors + 1] =
        table.first_chunk[table.tensors] + static_cast<int>(chunks_of(tensors[i].count));
    if (++table.tensors == kTableTensors) flush();
  }
  flush();
}

// Where a block works: numbers first .. end - 1 of a tensor.
struct Chunk {
  int tensor;
  std::int64_t first, end;
};

template <class Tensor>
__device__ Chunk my_chunk(const Table<Tensor>& table) {
  const int chunk = static_cast<int>(blockIdx.x);
  int low = 0, high = table.tensors;  // first_chunk[low] <= chunk < first_chunk[high]
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (table.first_chunk[middle] <= chunk ? low : high) = middle;
  }
  const std::int64_t first = static_cast<std::int64_t>(chunk - table.first_chunk[low]) * kChunk;
  return {low, first, min(first + kChunk, table.tensor[low].count)};
}

// One number, or four neighbours that are read and written at once.
template <int kWidth>
struct Numbers {
  float value[kWidth];
};

__device__ __forceinline__ float number(float x) { return x; }
__device__ __forceinline__ float number(__nv_bfloat16 x) { return __bfloat162float(x); }

template <int kWidth, class T>
__device__ __forceinline__ Numbers<kWidth> read(const T* from) {
  if constexpr (kWidth == 1) {
    return {number(*from)};
  } else {
    const float4 four = load4(from);
    return {four.x, four.y, four.z, four.w};
  }
}

template <int kWidth, class T>
__device__ __forceinline__ void write(T* to, const Numbers<kWidth>& x) {
  if constexpr (kWidth == 1) {
    *to = T(x.value[0]);
  } else {
    store4(to, {x.value[0], x.value[1], x.value[2], x.value[3]});
  }
}

__device__ __forceinline__ bool aligned(const void* at, unsigned bytes = 16) {
  return reinterpret_cast<std::uintptr_t>(at) % bytes == 0;
}

// Calls f.operator()<width>(i) for numbers i .. i + width - 1, until the block has done its chunk:
// four at a time if they may be, then one by one.
template <class Function>
__device__ __forceinline__ void for_each_number(const Chunk& chunk, bool four, Function&& f) {
  const std::int64_t thread = threadIdx.x;
  const std::int64_t quads = four ? (chunk.end - chunk.first) / 4 : 0;
#pragma unroll 4
  for (std::int64_t quad = thread; quad < quads; quad += kChunkThreads)
    f.template operator()<4>(chunk.first + 4 * quad);
  for (std::int64_t i = chunk.first + 4 * quads + thread; i < chunk.end; i += kChunkThreads)
    f.template operator()<1>(i);
}

// Sum over a block, in every thread; the order is always the same.
__device__ __forceinline__ float block_sum(float value) {
  __shared__ float sums[32];
  value = lane_sum(value);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  float total = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) total += sums[warp];
  return total;
}

}  // namespace mgdm::ops::cuda
