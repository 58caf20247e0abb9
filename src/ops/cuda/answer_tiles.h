// The schedule of ops/cuda/answer.h: its phases, and the division of matmuls among blocks and
// warps.
//
// A product (R, K) x (O, K)^T is cut into tiles of 16 rows by `width` columns, which lie one below
// the other, then side by side. A block takes neighbouring ones: most of them need the same rows of
// the weight, which then stay in its shared memory.
#pragma once

#include "base/philox.h"  // MGDM_HOST_DEVICE

namespace mgdm::ops::cuda {

constexpr int kAnswerTileRows = 16;
constexpr int kAnswerWarps = 16;        // of a block
constexpr int kWidestAnswerTile = 128;  // columns

// A step of a pass before the choice: five for every layer of every loop, then the head.
struct AnswerStep {
  enum Kind { kQkv, kAttention, kProjection, kUp, kDown, kHead };
  static constexpr int kKinds = kHead + 1;

  Kind kind = kQkv;
  int layer = 0, loop = 0;

  // After the head comes the next pass.
  MGDM_HOST_DEVICE constexpr AnswerStep next(int layers, int loops) const {
    if (kind == kHead) return {};
    if (kind < kDown) return {static_cast<Kind>(kind + 1), layer, loop};
    if (layer + 1 < layers) return {kQkv, layer + 1, loop};
    if (loop + 1 < loops) return {kQkv, 0, loop + 1};
    return {kHead, 0, loop};
  }
  MGDM_HOST_DEVICE constexpr AnswerStep next_product(int layers, int loops) const {
    const AnswerStep step = next(layers, loops);
    return step.kind == kAttention ? step.next(layers, loops) : step;
  }
};

struct AnswerTiles {
  int down = 0, across = 0;  // how many
  int width = 0;             // a multiple of 16

  MGDM_HOST_DEVICE constexpr int count() const { return down * across; }
  // Block b has the tiles from first(b) to first(b + 1).
  MGDM_HOST_DEVICE constexpr int first(int block, int blocks) const {
    return count() * block / blocks;
  }
  MGDM_HOST_DEVICE constexpr int row(int tile) const { return tile % down * kAnswerTileRows; }
  MGDM_HOST_DEVICE constexpr int column(int tile) const { return tile / down * width; }
};

// A tile is made by units of 16 columns; the depth K of each, in steps of 16, is split between
// warps.
struct AnswerUnits {
  int units = 0, splits = 0, steps = 0;

  constexpr AnswerUnits() = default;
  MGDM_HOST_DEVICE constexpr AnswerUnits(int width, int depth)
      : units(width / 16), splits(kAnswerWarps / units), steps(depth / 16) {
    const int useful = steps / 3 > 0 ? steps / 3 : 1;  // fewer steps take less than adding up
    if (splits > useful) splits = useful;
  }
};

// The part of a warp in a tile: steps `begin` to `end` of a unit; the last warps may have none.
struct AnswerWarp {
  int unit = 0, split = 0, begin = 0, end = 0;

  MGDM_HOST_DEVICE static constexpr AnswerWarp at(int warp, const AnswerUnits& u) {
    const int split = warp / u.units;
    if (split >= u.splits) return {};
    return {warp % u.units, split, u.steps * split / u.splits, u.steps * (split + 1) / u.splits};
  }
};

// Bytes between the rows of a matrix (.., depth) of bf16 numbers in shared memory: 16 more than the
// numbers take, so that eight neighbouring rows lie in different banks.
MGDM_HOST_DEVICE constexpr int answer_pitch(int depth) { return 2 * (depth + 8); }

// Tiles for R rows, O columns and depth K on so many blocks, whose share of the weight may take
// `bytes`: those with which the busiest block is done first. Width 0 where there are none.
constexpr AnswerTiles answer_tiles(int rows, int columns, int depth, int blocks, int bytes) {
  constexpr int kRowsCost = 32;  // of a tile's rows, in columns
  AnswerTiles best;
  int least = 0;
  for (int width = 16; width <= kWidestAnswerTile; width += 16) {
    if (width * answer_pitch(depth) > bytes) break;
    const AnswerTiles tiles{(rows + kAnswerTileRows - 1) / kAnswerTileRows,
                            (columns + width - 1) / width, width};
    const int turns = (tiles.count() + blocks - 1) / blocks;
    const int cost = turns * (width + kRowsCost);
    if (best.width == 0 || cost < least) {
      best = tiles;
      least = cost;
    }
  }
  return best;
}

}  // namespace mgdm::ops::cuda
