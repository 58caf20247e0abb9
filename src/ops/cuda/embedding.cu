// Forward, a warp takes a row. Backward, a warp takes 128 columns, a lane four of
// them, and walks down the rows of one position after the other: the position's sum stays in
// registers, and the tokens' sums in a table of the warp's own in shared memory. Warps, blocks and
// the shares of the batch are then added up in order.
#include <algorithm>

#include "ops/cuda/device.h"
#include "ops/cuda/embedding.h"
#include "ops/cuda/row_dropout.cuh"
#include "ops/cuda/sum_parts.h"
#include "ops/cuda/warp.cuh"

namespace mgdm::ops::cuda {
namespace {

constexpr int kWidth = 128;               // columns of a warp
constexpr int kMaxWarps = 12;             // of a block
constexpr int kSharedBytes = 200 * 1024;  // for the tables of a block, one on a multiprocessor
constexpr int kShares = 16;               // of the batch
constexpr int kInFlight = 8;              // rows whose loads a warp starts before it uses the first

__device__ __forceinline__ float4 operator+(float4 a, float4 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
__device__ __forceinline__ float4 operator*(float4 a, float4 b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w};
}

constexpr int kForwardWarps = 8;

__global__ void __launch_bounds__(32 * kForwardWarps)
    forward_kernel(const __grid_constant__ EmbeddingForward a) {
  const EmbeddingShape& s = a.shape;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kForwardWarps + threadIdx.x / 32;
  if (row >= s.batch * s.length) return;
  const int columns = static_cast<int>(s.columns);
  const float* const token = a.tokens + s.tokens[row] * columns;
  const float* const position = a.positions + row % s.length * columns;
  const float* const frozen =
      s.frozen == nullptr ? nullptr : a.frozen + (s.frozen[row] ? columns : 0);
  const Dropout dropout{s.dropout, s.random};
  for (int column = 4 * (threadIdx.x % 32); column < columns; column += kWidth) {
    const std::int64_t at = row * columns + column;
    float4 x = load4(token + column) + load4(position + column);
    if (frozen != nullptr) x = x + load4(frozen + column);
    if (s.dropout > 0) x = x * dropout.factors(at / 4);
    store4(a.out + at, x);
  }
}

// Parts: (gridDim.y, table rows, C) of the tables, (kShares, N, C) of the positions.
__global__ void __launch_bounds__(32 * kMaxWarps)
    backward_kernel(const __grid_constant__ EmbeddingShape s, const float* dout, float* table_parts,
                    float* position_parts) {
  extern __shared__ float4 tables[];  // (warps, table rows, 32)
  const int table_rows = static_cast<int>(s.vocabulary) + (s.frozen != nullptr ? 2 : 0);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kWidth + 4 * lane;
  float4* const mine = tables + warp * table_rows * 32 + lane;
  for (int row = 0; row < table_rows; ++row) mine[32 * row] = float4{};

  const Dropout dropout{s.dropout, s.random};
  const std::int64_t units = s.length * kShares;
  for (std::int64_t unit = static_cast<std::int64_t>(blockIdx.y) * warps + warp; unit < units;
       unit += static_cast<std::int64_t>(gridDim.y) * warps) {
    const std::int64_t share = unit / s.length, position = unit - share * s.length;
    const std::int64_t end = s.batch * (share + 1) / kShares;
    float4 sum{};
    for (std::int64_t b = s.batch * share / kShares; b < end; b += kInFlight) {
      float4 g[kInFlight];
      int token[kInFlight], frozen[kInFlight];
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        if (b + k >= end) break;
        const std::int64_t row = (b + k) * s.length + position;
        g[k] = load4(dout + row * s.columns + column);
        token[k] = static_cast<int>(s.tokens[row]);
        frozen[k] = s.frozen != nullptr && s.frozen[row] ? 1 : 0;
      }
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        if (b + k >= end) break;
        if (s.dropout > 0) {
          const std::int64_t row = (b + k) * s.length + position;
          g[k] = g[k] * dropout.factors((row * s.columns + column) / 4);
        }
        sum = sum + g[k];
        mine[32 * token[k]] = mine[32 * token[k]] + g[k];
        if (s.frozen != nullptr) {
          float4& kept = mine[32 * (static_cast<int>(s.vocabulary) + frozen[k])];
          kept = kept + g[k];
        }
      }
    }
    store4(position_parts + unit * s.columns + column, sum);
  }

  __syncthreads();
  for (int i = threadIdx.x; i < table_rows * 32; i += blockDim.x) {
    float4 total = tables[i];
    for (int w = 1; w < warps; ++w) total = total + tables[w * table_rows * 32 + i];
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * table_rows + i / 32;
    store4(table_parts + row * s.columns + blockIdx.x * kWidth + 4 * (i % 32), total);
  }
}

// How the backward pass is cut up.
struct Plan {
  std::int64_t table_rows, blocks;  // blocks: of each 128 columns
  int warps;

  explicit Plan(const EmbeddingShape& s)
      : table_rows(s.vocabulary + (s.frozen != nullptr ? 2 : 0)),
        blocks(std::max<std::int64_t>(1, Gpu::current().multiprocessors * kWidth / s.columns)),
        warps(static_cast<int>(
            std::clamp<std::int64_t>(kSharedBytes / warp_bytes(table_rows), 1, kMaxWarps))) {}

  static std::int64_t warp_bytes(std::int64_t rows) { return rows * 32 * sizeof(float4); }
  std::int64_t table_floats(const EmbeddingShape& s) const {
    return blocks * table_rows * s.columns;
  }
};

}  // namespace

void launch_embedding(const EmbeddingForward& a, cudaStream_t stream) {
  const std::int64_t rows = a.shape.batch * a.shape.length;
  if (rows == 0) return;
  const auto grid = static_cast<unsigned>((rows + kForwardWarps - 1) / kForwardWarps);
  forward_kernel<<<grid, 32 * kForwardWarps, 0, stream>>>(a);
}

void launch_embedding_backward(const EmbeddingBackward& a, cudaStream_t stream) {
  const EmbeddingShape& s = a.shape;
  const Plan plan(s);
  auto* const table_parts = reinterpret_cast<float*>(a.workspace);
  float* const position_parts = table_parts + plan.table_floats(s);
  const int bytes = static_cast<int>(plan.warps * Plan::warp_bytes(plan.table_rows));
  cudaFuncSetAttribute(backward_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  const dim3 grid(static_cast<unsigned>(s.columns / kWidth), static_cast<unsigned>(plan.blocks));
  backward_kernel<<<grid, 32 * plan.warps, bytes, stream>>>(s, a.dout, table_parts, position_parts);
  launch_sum_parts(table_parts, plan.blocks, plan.table_rows * s.columns, a.dtokens, stream);
  launch_sum_parts(position_parts, kShares, s.length * s.columns, a.dpositions, stream);
}

std::size_t embedding_workspace(const EmbeddingShape& s) {
  return sizeof(float) *
         static_cast<std::size_t>(Plan(s).table_floats(s) + kShares * s.length * s.columns);
}

bool embedding_takes(std::int64_t columns, std::int64_t vocabulary) {
  return columns > 0 && columns % kWidth == 0 && Plan::warp_bytes(vocabulary + 2) <= kSharedBytes;
}

}  // namespace mgdm::ops::cuda
