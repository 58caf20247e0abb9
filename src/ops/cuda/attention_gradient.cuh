// What the backward kernel does to tiles of gradients, 16 rows x D in C blocks, before it stores
// them.
#pragma once

#include "ops/cuda/attention_rows.cuh"

namespace mgdm::ops::cuda {

template <int kBlocks>
__device__ __forceinline__ void scale_tile(float (&tile)[kBlocks][4], float factor) {
#pragma unroll
  for (int n = 0; n < kBlocks; ++n)
#pragma unroll
    for (int e = 0; e < 4; ++e) tile[n][e] *= factor;
}

// Sums over the lanes whose numbers differ in the bits from kOffset down to 4: a lane has the sums
// of one of kCount blocks afterwards, in the first place.
template <int kCount, int kOffset, int kBlocks>
__device__ __forceinline__ void share_sums(float2 (&sums)[kBlocks]) {
  const bool high = (threadIdx.x & kOffset) != 0;
  constexpr int kKept = kCount > 1 ? kCount / 2 : 1;
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    const float2 low_half = sums[i], high_half = sums[kCount > 1 ? i + kKept : i];
    const float2 sent = high ? low_half : high_half, kept = high ? high_half : low_half;
    sums[i] = {kept.x + __shfl_xor_sync(0xffffffff, sent.x, kOffset),
               kept.y + __shfl_xor_sync(0xffffffff, sent.y, kOffset)};
  }
  if constexpr (kOffset > 4) share_sums<kKept, kOffset / 2>(sums);
}

// Adds up the first `rows` rows of a tile: of two columns, 8 (lane / (32 / kBlocks)) + 2 (lane % 4)
// and the next.
template <int kBlocks>
__device__ __forceinline__ float2 column_sums(const float (&tile)[kBlocks][4], int rows) {
  const int row = static_cast<int>(threadIdx.x) % 32 / 4;
  const bool upper = row < rows, lower = row + 8 < rows;
  float2 sums[kBlocks];
#pragma unroll
  for (int n = 0; n < kBlocks; ++n)
    sums[n] = {(upper ? tile[n][0] : 0.0f) + (lower ? tile[n][2] : 0.0f),
               (upper ? tile[n][1] : 0.0f) + (lower ? tile[n][3] : 0.0f)};
  share_sums<kBlocks, 16>(sums);
  return sums[0];
}

__device__ __forceinline__ void add_to(float2& sum, float2 more) {
  sum = {sum.x + more.x, sum.y + more.y};
}

// Adds `factor` times what an earlier part of the keys left in device memory, in store_tile's
// place.
template <int kSize>
__device__ void add_stored(float (&tile)[kSize / 8][4], const __nv_bfloat16* from, int pitch,
                           int rows, float factor) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + 8 * half;
    if (row >= rows) continue;
#pragma unroll
    for (int n = 0; n < kSize / 8; ++n) {
      const float2 v = unpack(
          *reinterpret_cast<const std::uint32_t*>(from + row * pitch + 8 * n + lane % 4 * 2));
      tile[n][2 * half] += factor * v.x;
      tile[n][2 * half + 1] += factor * v.y;
    }
  }
}

// Turns g, the gradient of a tile of normalised rows n = x / rms, into that of x, times `scale`:
// scale (g - n mean(g n)) / rms. The rows n are A blocks, which lie in lanes as C blocks do.
template <int kSize>
__device__ __forceinline__ void norm_gradient(float (&g)[kSize / 8][4],
                                              const std::uint32_t (&rows)[kSize / 16][4],
                                              const float* factors, float scale) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float2 n[kSize / 8];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kSize / 8; ++i) {
      n[i] = unpack(rows[i / 2][i % 2 * 2 + half]);
      sum += g[i][2 * half] * n[i].x + g[i][2 * half + 1] * n[i].y;
    }
    const float mean = lane_sum<4>(sum) / kSize;
    const float factor = factors[static_cast<int>(threadIdx.x) % 32 / 4 + 8 * half] * scale;
#pragma unroll
    for (int i = 0; i < kSize / 8; ++i) {
      g[i][2 * half] = (g[i][2 * half] - n[i].x * mean) * factor;
      g[i][2 * half + 1] = (g[i][2 * half + 1] - n[i].y * mean) * factor;
    }
  }
}

}  // namespace mgdm::ops::cuda
