// What a group of four warps makes of the sums of its tile, 64 rows x 128 columns: the activation
// or its gradient, written as two pieces of 64 columns in shared memory, from where they are
// copied.
//
// A piece has rows of 128 bytes. Copies swizzle them: the 16 bytes number i of row r lie where
// number i ^ (r % 8) would. So eight rows of a column are in different banks.
#pragma once

#include "ops/cuda/hopper/warpgroup.cuh"
#include "ops/cuda/mma.cuh"

namespace mgdm::ops::cuda {

constexpr int kTileRows = 64, kTileColumns = 128, kPieceColumns = 64;
constexpr int kPieceBytes = kTileRows * kPieceColumns * 2;
constexpr int kBlocks16 = kTileColumns / 16;  // blocks of 16 columns, the unit of the loops below

// Where a lane points to load or store block i of its warp's 16 rows of a pair of pieces.
struct TilePlaces {
  std::uint32_t first;

  __device__ TilePlaces(const char* pieces, int warp, int lane)
      : first(shared_address(pieces) + (16 * warp + lane % 16) * 128 +
              (lane / 16 ^ lane % 8) * 16) {}
  __device__ std::uint32_t operator()(int i) const {
    return (first ^ i % 4 * 32) + i / 4 * kPieceBytes;
  }
};

// Block i of the sums, rounded.
__device__ __forceinline__ void round_block(std::uint32_t (&words)[4], const float (&c)[64],
                                            int i) {
#pragma unroll
  for (int w = 0; w < 4; ++w) words[w] = pack(c[8 * i + 2 * w], c[8 * i + 2 * w + 1]);
}

// y = f(product + bias); the product too, where kept. kBare: without a bias, two numbers at a time.
template <class F, bool kKeep, bool kBare>
__device__ __forceinline__ void activate(const float (&c)[64], const float* bias,
                                         const TilePlaces& product, const TilePlaces& y, int lane) {
#pragma unroll
  for (int i = 0; i < kBlocks16; ++i) {
    std::uint32_t words[4];
    round_block(words, c, i);
    if constexpr (kKeep) store_squares(words, product(i));
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      if constexpr (kBare) {
        words[w] = F::value_of_pair(words[w]);
      } else {
        const float2 b = *reinterpret_cast<const float2*>(bias + 16 * i + w / 2 * 8 + lane % 4 * 2);
        const float2 u = unpack(words[w]);
        words[w] = pack(F::value(u.x + b.x), F::value(u.y + b.y));
      }
    }
    store_squares(words, y(i));
  }
}

// dproduct = dy f'(kept + bias), written over what was kept; `sums` gets what it adds to dbias: of
// block i columns 2c, 2c + 1, then those 8 further, with c = lane % 4. kBare: without a bias.
template <class F, bool kBare>
__device__ __forceinline__ void activate_backward(const float (&c)[64], const float* bias,
                                                  const TilePlaces& kept,
                                                  float (&sums)[4 * kBlocks16], int lane) {
#pragma unroll
  for (int i = 0; i < kBlocks16; ++i) {
    std::uint32_t words[4];
    load_block(words, kept(i));
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      float2 u = unpack(words[w]), d{c[8 * i + 2 * w], c[8 * i + 2 * w + 1]};
      if constexpr (!kBare) {
        const float2 b = *reinterpret_cast<const float2*>(bias + 16 * i + w / 2 * 8 + lane % 4 * 2);
        u = {u.x + b.x, u.y + b.y};
      }
      d = {d.x * F::slope_of_kept(u.x), d.y * F::slope_of_kept(u.y)};
      if constexpr (!kBare) {
        sums[4 * i + w / 2 * 2] += d.x;
        sums[4 * i + w / 2 * 2 + 1] += d.y;
      }
      words[w] = pack(d.x, d.y);
    }
    store_squares(words, kept(i));
  }
}

}  // namespace mgdm::ops::cuda
