// A block's work on the products of an answer: 16 rows of bf16 numbers and a panel of the weight
// are in shared memory, the warps multiply (answer_tiles.h), and what they have is added up.
#pragma once

#include "ops/cuda/answer_tiles.h"
#include "ops/cuda/mma.cuh"

namespace mgdm::ops::cuda {

constexpr int kAnswerThreads = 32 * kAnswerWarps;

// Of a product in which a block takes part, all that does not depend on the layer. It is worked
// out once: divisions take long beside a product this small.
struct AnswerShare {
  int columns, depth;  // O, K
  int width, down;     // of the tiles
  int units, splits;
  int tiles, row, column;  // the block's: how many, and where the first begins
  AnswerWarp warps[kAnswerWarps];

  // One warp's part of filling it in.
  __device__ void fill(int all_columns, int all_depth, const AnswerTiles& t, int warp) {
    const AnswerUnits u(t.width, all_depth);
    warps[warp] = AnswerWarp::at(warp, u);
    if (warp != 0) return;
    const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
    const int first = t.first(block, blocks);
    columns = all_columns;
    depth = all_depth;
    width = t.width;
    down = t.down;
    units = u.units;
    splits = u.splits;
    tiles = t.first(block + 1, blocks) - first;
    row = t.row(first);
    column = t.column(first);
  }
};

struct AnswerProduct {
  const AnswerShare& share;
  const __nv_bfloat16* weight;  // (O, K)
};

class AnswerProducts {
 public:
  // Shared memory, aligned to 128 bytes: kSumsBytes, 16 rows of the largest depth, the panel.
  static constexpr int kSumsBytes = kAnswerWarps * 16 * 16 * sizeof(float);
  __device__ AnswerProducts(char* sums, char* rows, char* panel)
      : sums_(reinterpret_cast<float4*>(sums)), rows_(rows), panel_(panel) {}

  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ int warp() { return static_cast<int>(threadIdx.x) / 32; }

  // Where number `column` of a row of the tile lies.
  __device__ char* row_at(const AnswerShare& share, int row, int column) const {
    return rows_ + row * answer_pitch(share.depth) + 2 * column;
  }

  // Starts copying the tile's rows from a matrix (rows, K).
  __device__ void copy_rows(const AnswerShare& share, const __nv_bfloat16* from, int first,
                            int rows) const {
    const int pieces = share.depth / 8, row = first + warp();
    const __nv_bfloat16* const at =
        from + static_cast<std::int64_t>(min(row, rows - 1)) * share.depth;
    const std::uint32_t to = shared_address(row_at(share, warp(), 0));
    for (int piece = lane(); piece < pieces; piece += 32)
      copy_async(to + 16 * piece, at + 8 * piece, row < rows);
  }

  // Starts copying the rows of the weight for the tiles at `column`. No warp may still be
  // multiplying.
  __device__ void fetch(const AnswerProduct& product, int column) const {
    const AnswerShare& share = product.share;
    const int pieces = share.depth / 8, pitch = answer_pitch(share.depth);
    for (int row = warp(); row < share.width; row += kAnswerWarps) {
      const bool inside = column + row < share.columns;
      const __nv_bfloat16* const from =
          product.weight + static_cast<std::int64_t>(inside ? column + row : 0) * share.depth;
      const std::uint32_t to = shared_address(panel_ + row * pitch);
      for (int piece = lane(); piece < pieces; piece += 32)
        copy_async(to + 16 * piece, from + 8 * piece, inside);
    }
  }

  // The same for a block's first tile, if it has one.
  __device__ void fetch_first(const AnswerProduct& product) const {
    if (product.share.tiles > 0) fetch(product, product.share.column);
  }

  // A warp's part of rows x panel^T, into the sums. Then the block waits for all of them.
  __device__ void multiply(const AnswerShare& share) const {
    const AnswerWarp part = share.warps[warp()];
    if (part.begin < part.end) {
      const int pitch = answer_pitch(share.depth);
      std::uint32_t a = shared_address(rows_) + down(lane(), pitch) + 32 * part.begin;
      std::uint32_t b =
          shared_address(panel_) + 16 * part.unit * pitch + across(lane(), pitch) + 32 * part.begin;
      float c[2][4] = {};
#pragma unroll 4
      for (int step = part.begin; step < part.end; ++step, a += 32, b += 32) {
        std::uint32_t fa[4], fb[4];
        load_block(fa, a);
        load_block(fb, b);
        multiply_add(c[0], fa, fb[0], fb[1]);
        multiply_add(c[1], fa, fb[2], fb[3]);
      }
#pragma unroll
      for (int half = 0; half < 2; ++half)
        sums_[place(part.split * share.units + part.unit, half)] = {c[half][0], c[half][1],
                                                                    c[half][2], c[half][3]};
    }
    __syncthreads();
  }

  // The thread's part of a tile: columns part_column() and the next of rows part_row() and the one
  // 8 below; where the tile is narrow, some threads have none.
  static __device__ int own_unit() { return static_cast<int>(threadIdx.x) / 64; }
  static __device__ int part_row() { return lane() / 4; }
  static __device__ int part_column() { return 16 * own_unit() + own_half() * 8 + lane() % 4 * 2; }

  // What the warps' sums of a unit add up to, in the thread's place: two columns of one row, then
  // of the other.
  __device__ float4 total(const AnswerShare& share, int unit) const {
    float4 sum = sums_[place(unit, own_half())];
    for (int split = 1; split < share.splits; ++split) {
      const float4 more = sums_[place(split * share.units + unit, own_half())];
      sum = {sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w};
    }
    return sum;
  }

 private:
  static __device__ int own_half() { return static_cast<int>(threadIdx.x) / 32 % 2; }
  static __device__ int place(int unit, int half) { return (2 * unit + half) * 32 + lane(); }

  float4* const sums_;
  char *const rows_, *const panel_;
};

}  // namespace mgdm::ops::cuda
