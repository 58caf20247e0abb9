// A head's rows between device memory, shared memory and the registers of tensor-core tiles.
//
// In shared memory the 16-byte pieces of a row change places: piece p of row r lies where piece p ^
// x would, x = r D / 64 mod D / 8. Eight neighbouring rows' pieces p then lie in different banks,
// and so do neighbouring pieces of a row.
#pragma once

#include "ops/cuda/attention.h"
#include "ops/cuda/attention_dropout.h"
#include "ops/cuda/attention_launch.cuh"
#include "ops/cuda/mma.cuh"
#include "ops/cuda/warp.cuh"

namespace mgdm::ops::cuda {

constexpr float kLog2E = 1.44269504088896340736f, kLn2 = 0.69314718055994530942f;

template <int kSize>
constexpr int kPitch = 2 * kSize;  // bytes of a row in shared memory

// Where piece `piece` of row `row` lies.
template <int kSize>
__device__ __forceinline__ int place(int row, int piece) {
  return row * kPitch<kSize> + (piece ^ row * kSize / 64 % (kSize / 8)) * 16;
}

// Where a lane points in rows i..i + 15, i a multiple of 16, to load the block of columns 0..15 in
// the order `down` or `across` (mma.cuh). Rows lie at multiples of their size, so that for columns
// 16 d .. the whole address is that ^ 32 d.
template <int kSize>
__device__ __forceinline__ int down_rows(int lane) {
  return place<kSize>(lane % 16, lane / 16);
}
template <int kSize>
__device__ __forceinline__ int across_rows(int lane) {
  return place<kSize>(lane % 8 + lane / 16 * 8, lane / 8 % 2);
}

// What a kernel needs of AttentionSettings.
struct HeadSettings {
  int length, heads;  // N, H
  bool causal, norm;
  float scale, eps;
  std::uint32_t threshold;  // of dropout
  RandomState random;

  explicit HeadSettings(const AttentionSettings& s)
      : length(static_cast<int>(s.length)),
        heads(static_cast<int>(s.heads)),
        causal(s.causal),
        norm(s.norm),
        scale(s.scale),
        eps(s.eps),
        threshold(AttentionDropout::threshold_of(s.dropout)),
        random(s.random) {}

  __device__ AttentionDropout dropout() const {
    return {random.seed_at ? *random.seed_at : random.seed,
            (random.offset_at ? *random.offset_at : 0) + random.offset, threshold};
  }
};

// Warps take tiles of 16 rows in turn, and always the same ones: what a warp copied it may read
// after wait_for_copies() and __syncwarp(), without waiting for the others.
template <class Visit>
__device__ __forceinline__ void for_each_tile(int rows, Visit visit) {
  for (int row = static_cast<int>(threadIdx.x) / 32 * 16; row < rows;
       row += static_cast<int>(blockDim.x) / 2)
    visit(row);
}

// Starts copying rows 0..count-1, of which row i lies at `at(i)`; rows from `valid` on become
// zeros. Neighbouring lanes copy neighbouring pieces.
template <int kSize, class At>
__device__ __forceinline__ void load_rows_from(std::uint32_t to, At at, int valid, int count) {
  constexpr int kPieces = kSize / 8, kRows = 32 / kPieces;  // of a row; that a warp copies at once
  const int lane = threadIdx.x % 32, piece = lane % kPieces;
  for_each_tile(count, [&](int tile) {
#pragma unroll
    for (int i = 0; i < 16 / kRows; ++i) {
      const int row = lane / kPieces + i * kRows;
      const bool inside = tile + row < valid;
      copy_async(to + tile * kPitch<kSize> + place<kSize>(row, piece),
                 at(inside ? tile + row : 0) + 8 * piece, inside);
    }
  });
}

// load_rows_from() for a matrix whose rows are `pitch` numbers apart ...
template <int kSize>
__device__ __forceinline__ void load_rows(std::uint32_t to, const __nv_bfloat16* from, int pitch,
                                          int valid, int count) {
  load_rows_from<kSize>(
      to, [&](int row) { return from + row * pitch; }, valid, count);
}

// ... the rows numbers[0], numbers[1], ...
template <int kSize, class Numbers>
__device__ __forceinline__ void load_rows_at(std::uint32_t to, const __nv_bfloat16* from,
                                             Numbers numbers, int pitch, int valid, int count) {
  load_rows_from<kSize>(
      to, [&](int row) { return from + static_cast<std::int64_t>(numbers[row]) * pitch; }, valid,
      count);
}

// A tile of 16 rows in shared memory, as A blocks. Registers 0 and 2 of a block are also a B block
// of its first eight rows, turned, and 1 and 3 one of the others.
template <int kSize>
__device__ __forceinline__ void load_tile(std::uint32_t (&tile)[kSize / 16][4],
                                          std::uint32_t rows) {
#pragma unroll
  for (int d = 0; d < kSize / 16; ++d)
    load_block(tile[d], (rows + down_rows<kSize>(threadIdx.x % 32)) ^ 32 * d);
}

// The reverse, of the block of columns 16 d to 16 d + 15.
template <int kSize>
__device__ __forceinline__ void store_in_rows(const std::uint32_t (&block)[4], std::uint32_t rows,
                                              int d) {
  const int lane = threadIdx.x % 32;
#if __CUDA_ARCH__ >= 900
  store_squares(block, (rows + down_rows<kSize>(lane)) ^ 32 * d);
#else
#pragma unroll
  for (int i = 0; i < 4; ++i)
    store_pair(rows + place<kSize>(lane / 4 + i % 2 * 8, 2 * d + i / 2) + lane % 4 * 4, block[i]);
#endif
}

// The sums of a b along the rows of two tiles: of rows r = lane / 4 and r + 8.
//
// They are the diagonal of a b^T. The tensor cores make fifteen other numbers for each, but they
// have nothing else to do then, and a number costs fewer instructions than by unpacking.
template <int kDepth>
__device__ __forceinline__ float2 row_dots(const std::uint32_t (&a)[kDepth][4],
                                           const std::uint32_t (&b)[kDepth][4]) {
  float upper[4], lower[4];  // a's rows by b's first eight, and by its others
#pragma unroll
  for (int d = 0; d < kDepth; ++d) {
    if (d == 0) {
      multiply(upper, a[d], b[d][0], b[d][2], float4{});
      multiply(lower, a[d], b[d][1], b[d][3], float4{});
    } else {
      multiply_add(upper, a[d], b[d][0], b[d][2]);
      multiply_add(lower, a[d], b[d][1], b[d][3]);
    }
  }
  // Lane r / 2 of the four lanes of row r holds columns r and r + 8.
  const int lane = threadIdx.x % 32, row = lane / 4, from = 4 * row + row / 2;
  const bool odd = row % 2 != 0;
  return {__shfl_sync(0xffffffff, odd ? upper[1] : upper[0], from),
          __shfl_sync(0xffffffff, odd ? lower[3] : lower[2], from)};
}

// Multiplies pairs of bf16 numbers by a float: two instructions instead of the five that unpacking,
// multiplying and packing take. The factor is split in two bf16 numbers, so that before the result
// is rounded it is off by some 2^-15 of itself.
class PairFactor {
 public:
  __device__ explicit PairFactor(float factor)
      : high_(__float2bfloat162_rn(factor)),
        low_(__float2bfloat162_rn(factor - __low2float(high_))) {}

  __device__ std::uint32_t operator*(std::uint32_t bits) const {
    const __nv_bfloat162 pair = reinterpret_cast<const __nv_bfloat162&>(bits);
    const __nv_bfloat162 product = __hfma2(pair, high_, __hmul2(pair, low_));
    return reinterpret_cast<const std::uint32_t&>(product);
  }

 private:
  __nv_bfloat162 high_, low_;
};

// 1 / the root mean square of rows lane / 4 and lane / 4 + 8 of a tile.
template <int kDepth>
__device__ __forceinline__ float2 root_factors(const std::uint32_t (&tile)[kDepth][4], float eps) {
  const float2 squares = row_dots(tile, tile);
  return {rsqrtf(squares.x / (16 * kDepth) + eps), rsqrtf(squares.y / (16 * kDepth) + eps)};
}

// Multiplies those rows by such factors, and writes them to shared memory.
template <int kSize>
__device__ __forceinline__ void scale_rows(const std::uint32_t (&tile)[kSize / 16][4],
                                           float2 factors, std::uint32_t rows) {
  const PairFactor upper(factors.x), lower(factors.y);
#pragma unroll
  for (int d = 0; d < kSize / 16; ++d) {
    std::uint32_t scaled[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) scaled[i] = (i % 2 == 0 ? upper : lower) * tile[d][i];
    store_in_rows<kSize>(scaled, rows, d);
  }
}

// Divides rows by their root mean square, in place, and writes 1 / rms to `factors` unless null.
// Rows of zeros stay zeros (eps > 0). A warp visits the rows that it copied itself, where lanes
// copy, so it need only have waited for its own copies.
template <int kSize>
__device__ __forceinline__ void normalize_rows(std::uint32_t rows, int count, float eps,
                                               float* factors) {
  const int lane = threadIdx.x % 32;
  __syncwarp();
  for_each_tile(count, [&](int row) {
    const std::uint32_t at = rows + row * kPitch<kSize>;
    std::uint32_t tile[kSize / 16][4];
    load_tile<kSize>(tile, at);
    const float2 by = root_factors(tile, eps);
    scale_rows<kSize>(tile, by, at);
    if (factors != nullptr && lane % 4 == 0) {
      factors[row + lane / 4] = by.x;
      factors[row + lane / 4 + 8] = by.y;
    }
  });
}

// Normalises queries and keys together, without keeping factors: instructions of one fill the waits
// of the other.
template <int kSize>
__device__ __forceinline__ void normalize_both(std::uint32_t q, std::uint32_t k, int count,
                                               float eps) {
  __syncwarp();
  for_each_tile(count, [&](int row) {
    const int at = row * kPitch<kSize>;
    std::uint32_t q_tile[kSize / 16][4], k_tile[kSize / 16][4];
    load_tile<kSize>(q_tile, q + at);
    load_tile<kSize>(k_tile, k + at);
    const float2 q_by = root_factors(q_tile, eps), k_by = root_factors(k_tile, eps);
    scale_rows<kSize>(q_tile, q_by, q + at);
    scale_rows<kSize>(k_tile, k_by, k + at);
  });
}

// Writes a 16 x D tile of C blocks as bf16: tile row i goes to to + i pitch, for i < rows.
//
// Neighbouring lanes have 4 bytes each of the same 8 columns. They exchange half of what they have,
// so that the even one has 8 bytes of one block and the odd one of the next: four lanes then write
// 32 bytes of a row at once, a whole sector.
template <int kSize>
__device__ __forceinline__ void store_tile(const float (&tile)[kSize / 8][4], __nv_bfloat16* to,
                                           int pitch, int rows) {
  const int lane = threadIdx.x % 32, r = lane / 4, c = lane % 4;
  const bool odd = lane % 2 != 0;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    __nv_bfloat16* const row = to + (r + 8 * half) * pitch + (odd ? 8 : 0) + c / 2 * 4;
#pragma unroll
    for (int n = 0; n < kSize / 8; n += 2) {
      const std::uint32_t even_word = pack(tile[n][2 * half], tile[n][2 * half + 1]);
      const std::uint32_t odd_word = pack(tile[n + 1][2 * half], tile[n + 1][2 * half + 1]);
      const std::uint32_t got = __shfl_xor_sync(0xffffffff, odd ? even_word : odd_word, 1);
      if (r + 8 * half < rows) store8(row + 8 * n, odd ? got : even_word, odd ? odd_word : got);
    }
  }
}

}  // namespace mgdm::ops::cuda
