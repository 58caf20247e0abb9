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

// A thread's share of rows in shared memory: pieces of 8 numbers, `piece` of rows first, first +
// step, ... Neighbouring threads have neighbouring pieces, a warp has whole rows. Rows come in
// multiples of 16, so that warps stay together.
template <int kSize>
struct Share {
  const int piece = threadIdx.x % (kSize / 8), first = threadIdx.x / (kSize / 8);
  const int step = blockDim.x / (kSize / 8);

  __device__ int place_in(int row) const { return place<kSize>(row, piece); }
};

// Starts copying rows 0..count-1 of a matrix whose rows are `pitch` numbers apart; rows from
// `valid` on become zeros.
template <int kSize>
__device__ __forceinline__ void load_rows(std::uint32_t to, const __nv_bfloat16* from, int pitch,
                                          int valid, int count) {
  const Share<kSize> share;
  const __nv_bfloat16* at = from + share.first * pitch + 8 * share.piece;
  for (int row = share.first; row < count; row += share.step, at += share.step * pitch)
    copy_async(to + share.place_in(row), row < valid ? at : from, row < valid);
}

// The same for the rows numbers[0], numbers[1], ...
template <int kSize, class Numbers>
__device__ __forceinline__ void load_rows_at(std::uint32_t to, const __nv_bfloat16* from,
                                             Numbers numbers, int pitch, int valid, int count) {
  const Share<kSize> share;
  for (int row = share.first; row < count; row += share.step) {
    const std::int64_t number = row < valid ? numbers[row] : 0;
    copy_async(to + share.place_in(row), from + number * pitch + 8 * share.piece, row < valid);
  }
}

// Divides rows by their root mean square, in place, and writes 1 / rms to `factors` unless null. A
// thread visits the pieces that it copied itself, so it need only have waited for its own copies.
template <int kSize>
__device__ __forceinline__ void normalize_rows(char* rows, int valid, int count, float eps,
                                               float* factors) {
  const Share<kSize> share;
  for (int row = share.first; row < count; row += share.step) {
    uint4* const at = reinterpret_cast<uint4*>(rows + share.place_in(row));
    const uint4 bits = *at;
    const float2 v[4] = {unpack(bits.x), unpack(bits.y), unpack(bits.z), unpack(bits.w)};
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) sum += v[j].x * v[j].x + v[j].y * v[j].y;
    const float f = rsqrtf(lane_sum<kSize / 8>(sum) / kSize + eps);
    if (row >= valid) continue;  // zeros stay zeros
    *at = uint4{pack(v[0].x * f, v[0].y * f), pack(v[1].x * f, v[1].y * f),
                pack(v[2].x * f, v[2].y * f), pack(v[3].x * f, v[3].y * f)};
    if (factors != nullptr && share.piece == 0) factors[row] = f;
  }
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
