// A head's rows between device memory, shared memory and the registers of tensor-core tiles.
//
// In shared memory a row of D bf16 has 16 bytes of padding: 16 (D / 8 + 1) bytes, an odd multiple
// of 16 for the sizes used, so that eight rows' 16 bytes lie in different banks.
#pragma once

#include "ops/cuda/attention.h"
#include "ops/cuda/attention_dropout.h"
#include "ops/cuda/mma.cuh"
#include "ops/cuda/warp.cuh"

namespace mgdm::ops::cuda {

constexpr float kLog2E = 1.44269504088896340736f, kLn2 = 0.69314718055994530942f;

template <int kSize>
constexpr int kStride = 2 * kSize + 16;  // bytes of a row in shared memory

MGDM_HOST_DEVICE constexpr int round_up(int value, int step) {
  return (value + step - 1) / step * step;
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

// Starts copying rows 0..count-1 of a matrix whose rows are `pitch` numbers apart; rows from
// `valid` on become zeros. Thread t has pieces t, t + T, ... of 8 numbers, counted along the rows.
template <int kSize>
__device__ void load_rows(std::uint32_t to, const __nv_bfloat16* from, std::int64_t pitch,
                          int valid, int count) {
  constexpr int kPieces = kSize / 8;
  for (int i = threadIdx.x; i < count * kPieces; i += blockDim.x) {
    const int row = i / kPieces, piece = i % kPieces;
    const bool inside = row < valid;
    copy_async(to + row * kStride<kSize> + piece * 16,
               from + (inside ? row : 0) * pitch + 8 * piece, inside);
  }
}

// Asks for rows 0..count-1 of a matrix to be brought near.
template <int kSize>
__device__ void prefetch_rows(const __nv_bfloat16* from, std::int64_t pitch, int count) {
  for (int row = threadIdx.x; row < count; row += blockDim.x)
    prefetch(from + row * pitch, 2 * kSize);
}

// Divides rows by their root mean square, in place, and writes 1 / rms to `factors` unless null. A
// thread visits the pieces that it copied itself, so it need only have waited for its own copies.
template <int kSize>
__device__ void normalize_rows(char* rows, int valid, int count, float eps, float* factors) {
  constexpr int kPieces = kSize / 8;
  for (int i = threadIdx.x; i < count * kPieces; i += blockDim.x) {
    const int row = i / kPieces, piece = i % kPieces;
    uint4* const at = reinterpret_cast<uint4*>(rows + row * kStride<kSize> + piece * 16);
    uint4 bits = *at;
    std::uint32_t* const pairs[4] = {&bits.x, &bits.y, &bits.z, &bits.w};
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 v = unpack(*pairs[j]);
      sum += v.x * v.x + v.y * v.y;
    }
    const float factor = rsqrtf(lane_sum<kPieces>(sum) / kSize + eps);
    if (row >= valid) continue;  // zeros stay zeros
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 v = unpack(*pairs[j]);
      *pairs[j] = pack(v.x * factor, v.y * factor);
    }
    *at = bits;
    if (factors != nullptr && piece == 0) factors[row] = factor;
  }
}

// Writes a 16 x D tile of C blocks as bf16: tile row i goes to to + i pitch, for i < rows.
//
// Four lanes have the 16 bytes of 8 columns of a row between them, 4 bytes each. They exchange what
// they have (a 4 x 4 transpose) so that each writes 16 bytes at once.
template <int kSize>
__device__ void store_tile(const float (&tile)[kSize / 8][4], __nv_bfloat16* to, std::int64_t pitch,
                           int rows) {
  constexpr int kBlocks = kSize / 8;
  const int lane = threadIdx.x % 32, r = lane / 4, c = lane % 4;
  const bool odd = c & 1, upper = c & 2;
#pragma unroll
  for (int first = 0; first < 2 * kBlocks; first += 4) {
    // Piece u is block u % kBlocks of row r, or r + 8 for the second kBlocks of them.
    std::uint32_t word[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int u = first + i, half = u / kBlocks;
      word[i] = pack(tile[u % kBlocks][2 * half], tile[u % kBlocks][2 * half + 1]);
    }
    const auto swap = [](std::uint32_t& a, std::uint32_t& b, bool mine, int distance) {
      const std::uint32_t got = __shfl_xor_sync(0xffffffff, mine ? a : b, distance);
      a = mine ? got : a;
      b = mine ? b : got;
    };
    swap(word[0], word[1], odd, 1);
    swap(word[2], word[3], odd, 1);
    swap(word[0], word[2], upper, 2);
    swap(word[1], word[3], upper, 2);
    const int u = first + c, row = r + u / kBlocks * 8;
    if (row < rows)
      *reinterpret_cast<uint4*>(to + row * pitch + u % kBlocks * 8) =
          uint4{word[0], word[1], word[2], word[3]};
  }
}

}  // namespace mgdm::ops::cuda
