// A block's products: 16 rows of bf16 numbers times parts of a weight, all in shared memory.
#pragma once

#include "ops/cuda/hopper/cluster_memory.cuh"
#include "ops/cuda/mma.cuh"

namespace mgdm::ops::cuda::clusters {

__device__ __forceinline__ float4 plus(float4 a, float4 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

// Parts of a weight that are multiplied by at once are shared out among the warps; so is the depth
// of each, in steps of 16.
constexpr int kMostSplits = 8;
MGDM_HOST_DEVICE constexpr int splits_of(int parts) {
  return parts == 1 ? kMostSplits : kWarps / parts;
}

struct WarpShare {
  int part, begin, end;  // steps; none where the part is none

  __device__ WarpShare(int warp, int parts, int steps) {
    switch (parts) {  // divisions by numbers known here are quick
      case 1:
        split<1>(warp, steps);
        break;
      case 2:
        split<2>(warp, steps);
        break;
      case 3:
        split<3>(warp, steps);
        break;
      default:
        split<4>(warp, steps);
    }
  }

 private:
  template <int kParts>
  __device__ void split(int warp, int steps) {
    constexpr int kSplits = splits_of(kParts);
    const int own = warp % kSplits;
    part = warp / kSplits;
    begin = steps * own / kSplits;
    end = steps * (own + 1) / kSplits;
  }
};

// Rows of C bf16 numbers in shared memory: where 8 neighbours, a piece, of a row lie.

// One row after the other.
template <int kUnits>
struct WholeRows {
  std::uint32_t begin;
  __device__ std::uint32_t at(int row, int piece) const {
    return begin + row * Layout<kUnits>::kPitch + 16 * piece;
  }
};

// As the blocks of the cluster sent them: 16 rows of kUnits pieces each, `step` bytes apart.
template <int kUnits>
struct SentRows {
  std::uint32_t begin;
  int step;
  __device__ std::uint32_t at(int row, int piece) const {
    return begin + piece / kUnits * step + row * Layout<kUnits>::kSentPitch + piece % kUnits * 16;
  }
};

// As heads were sent, in the order of attention_rows.cuh.
template <int kSize>
struct HeadRows {
  std::uint32_t begin;
  __device__ std::uint32_t at(int row, int piece) const {
    constexpr int kPieces = kSize / 8;
    return begin + piece / kPieces * (kRows * kPitch<kSize>)+place<kSize>(row, piece % kPieces);
  }
};

// sums (kUnits tiles of 16 x 8, as lanes have them) = rows (16 x C) b^T for some steps of the
// depth; rows of b are kPitch bytes apart. It is called, not inlined, so that there is little code:
// a phase goes through all of its code once, and waits for much of it.
template <int kUnits, int kPitch, class Rows>
__device__ __noinline__ void multiply_rows(float4* sums, Rows rows, std::uint32_t b, int begin,
                                           int end) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::uint32_t pairs = b + across(lane, kPitch);
  const std::uint32_t last = b + (8 * (kUnits - 1) + lane % 8) * kPitch + lane / 8 % 2 * 16;
  float c[kUnits][4] = {};
#pragma unroll 2
  for (int step = begin; step < end; ++step) {
    std::uint32_t fa[4];
    load_block(fa, rows.at(lane % 16, 2 * step + lane / 16));
#pragma unroll
    for (int unit = 0; unit + 1 < kUnits; unit += 2) {
      std::uint32_t fb[4];
      load_block(fb, pairs + 8 * unit * kPitch + 32 * step);
      multiply_add(c[unit], fa, fb[0], fb[1]);
      multiply_add(c[unit + 1], fa, fb[2], fb[3]);
    }
    if constexpr (kUnits % 2 != 0) {
      std::uint32_t fb[2];
      load_half_block(fb, last + 32 * step);
      multiply_add(c[kUnits - 1], fa, fb[0], fb[1]);
    }
  }
#pragma unroll
  for (int unit = 0; unit < kUnits; ++unit)
    sums[32 * unit + lane] = {c[unit][0], c[unit][1], c[unit][2], c[unit][3]};
}

}  // namespace mgdm::ops::cuda::clusters
