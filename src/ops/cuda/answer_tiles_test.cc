#include "ops/cuda/answer_tiles.h"

#include <gtest/gtest.h>

#include <vector>

namespace mgdm::ops::cuda {
namespace {

constexpr int kBytes = 150 << 10;

struct Shape {
  int rows, columns, depth, blocks;
};

const std::vector<Shape> kShapes{{64, 1152, 384, 132},  {64, 384, 384, 132},   {64, 1536, 384, 132},
                                 {64, 384, 1536, 132},  {1, 384, 128, 132},    {37, 512, 128, 108},
                                 {512, 1536, 384, 132}, {512, 384, 1536, 132}, {81, 768, 256, 16},
                                 {164, 2048, 512, 132}};

TEST(AnswerTiles, EveryNumberIsMadeByOneBlock) {
  for (const Shape& s : kShapes) {
    SCOPED_TRACE(testing::Message() << s.rows << " " << s.columns << " " << s.depth);
    const AnswerTiles tiles = answer_tiles(s.rows, s.columns, s.depth, s.blocks, kBytes);
    ASSERT_GT(tiles.width, 0);
    std::vector<int> made(static_cast<std::size_t>(s.rows * s.columns));
    EXPECT_EQ(tiles.first(0, s.blocks), 0);
    for (int block = 0; block < s.blocks; ++block)
      for (int tile = tiles.first(block, s.blocks); tile < tiles.first(block + 1, s.blocks); ++tile)
        for (int row = tiles.row(tile); row < tiles.row(tile) + kAnswerTileRows; ++row)
          for (int column = tiles.column(tile); column < tiles.column(tile) + tiles.width; ++column)
            if (row < s.rows && column < s.columns)
              ++made[static_cast<std::size_t>(row * s.columns + column)];
    for (const int times : made) ASSERT_EQ(times, 1);
  }
}

TEST(AnswerTiles, TakeOneTurnWhereTheDeviceIsLarge) {
  for (const Shape& s : kShapes) {
    const AnswerTiles tiles = answer_tiles(s.rows, s.columns, s.depth, s.blocks, kBytes);
    if (s.rows <= 64 && s.blocks >= 100) {
      EXPECT_LE(tiles.count(), s.blocks) << s.rows << " " << s.columns;
    }
  }
}

TEST(AnswerTiles, FitTheMemoryGiven) {
  for (const Shape& s : kShapes)
    for (const int bytes : {16 * answer_pitch(s.depth), 40 << 10, kBytes}) {
      const AnswerTiles tiles = answer_tiles(s.rows, s.columns, s.depth, s.blocks, bytes);
      EXPECT_LE(tiles.width * answer_pitch(s.depth), bytes);
      EXPECT_LE(tiles.width, kWidestAnswerTile);
      EXPECT_EQ(tiles.width % 16, 0);
    }
  EXPECT_EQ(answer_tiles(64, 384, 1536, 132, 16 * answer_pitch(1536) - 1).width, 0);
}

TEST(AnswerTiles, WarpsShareTheDepth) {
  for (int width = 16; width <= kWidestAnswerTile; width += 16)
    for (const int depth : {128, 384, 1536}) {
      const AnswerUnits units(width, depth);
      EXPECT_LE(units.units * units.splits, kAnswerWarps);
      std::vector<int> made(static_cast<std::size_t>(width / 16 * units.steps));
      for (int warp = 0; warp < kAnswerWarps; ++warp) {
        const AnswerWarp part = AnswerWarp::at(warp, units);
        EXPECT_LT(part.split, units.splits);
        for (int step = part.begin; step < part.end; ++step)
          ++made[static_cast<std::size_t>(part.unit * units.steps + step)];
      }
      for (const int times : made) ASSERT_EQ(times, 1);
    }
}

TEST(AnswerSteps, GoThroughLayersAndLoops) {
  constexpr int kLayers = 2, kLoops = 3;
  AnswerStep step;
  for (int loop = 0; loop < kLoops; ++loop)
    for (int layer = 0; layer < kLayers; ++layer)
      for (int kind = AnswerStep::kQkv; kind <= AnswerStep::kDown; ++kind) {
        EXPECT_EQ(step.kind, kind);
        EXPECT_EQ(step.layer, layer);
        EXPECT_EQ(step.loop, loop);
        step = step.next(kLayers, kLoops);
      }
  EXPECT_EQ(step.kind, AnswerStep::kHead);
  step = step.next(kLayers, kLoops);
  EXPECT_EQ(step.kind, AnswerStep::kQkv);
  EXPECT_EQ(step.layer + step.loop, 0);
}

TEST(AnswerSteps, KnowTheNextProduct) {
  EXPECT_EQ((AnswerStep{AnswerStep::kQkv, 1, 0}.next_product(2, 1).kind), AnswerStep::kProjection);
  EXPECT_EQ((AnswerStep{AnswerStep::kDown, 1, 0}.next_product(2, 1).kind), AnswerStep::kHead);
  EXPECT_EQ((AnswerStep{AnswerStep::kDown, 1, 0}.next_product(2, 2).loop), 1);
  EXPECT_EQ((AnswerStep{AnswerStep::kDown, 0, 0}.next_product(2, 2).layer), 1);
  EXPECT_EQ((AnswerStep{AnswerStep::kHead, 0, 1}.next_product(2, 2).kind), AnswerStep::kQkv);
}

}  // namespace
}  // namespace mgdm::ops::cuda
