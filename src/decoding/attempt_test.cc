#include "decoding/attempt.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace mgdm::decoding {
namespace {

std::array<float, 6> drawn(const Draws& draws, std::int64_t pass) {
  std::array<float, 6> uniform{};
  draws.fill(pass, uniform);
  return uniform;
}

TEST(Draws, AreTheStreamOfItemAndPass) {
  const std::array<float, 6> uniform = drawn({.seed = 7, .item = 3, .attempt = 0}, 5);
  Stream random(7, Purpose::kDecode, 3, 5);
  for (const float draw : uniform) EXPECT_EQ(draw, random.uniform());
}

TEST(Draws, OfOtherTriesAreNobodyElses) {
  std::set<std::array<float, 6>> seen;
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const std::int64_t attempt : {0, 1, 2, 9999})
      for (const std::int64_t pass : {0, 1, 2, 10000})
        EXPECT_TRUE(seen.insert(drawn({.seed = seed, .item = 4, .attempt = attempt}, pass)).second);
}

TEST(Draws, TryKBeginsAtStepKTimes65536) {
  EXPECT_EQ(draw_step(0, 19), 19);
  EXPECT_EQ(draw_step(3, 19), 3 * 65536 + 19);
  Stream random(1, Purpose::kDecode, 4, 2 * 65536 + 1);
  EXPECT_EQ(drawn({.seed = 1, .item = 4, .attempt = 2}, 1)[0], random.uniform());
}

TEST(Draws, GumbelNoiseIsFinite) {
  EXPECT_TRUE(std::isfinite(gumbel(0)));
  EXPECT_LT(gumbel(0), gumbel(0x1p-24f));
  EXPECT_NEAR(gumbel(0.5f), 0.36651292, 1e-6);  // -log(log 2)
  EXPECT_TRUE(std::isfinite(gumbel(1 - 0x1p-24f)));
}

}  // namespace
}  // namespace mgdm::decoding
