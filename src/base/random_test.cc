#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace mgdm {
namespace {

// The known-answer vectors published with Random123 (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, PublishedVectors) {
  EXPECT_EQ(philox({{0, 0, 0, 0}}, 0, 0),
            (PhiloxWords{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({{kOnes, kOnes, kOnes, kOnes}}, kOnes, kOnes),
            (PhiloxWords{{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
  EXPECT_EQ(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
            (PhiloxWords{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));
}

TEST(Stream, WordsAreTheBlocksOfTheKeyedCounter) {
  Stream random(0x1122334455667788, Purpose::kTest, 7, 3);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const PhiloxWords words = philox({{block, 3, 7, 99}}, 0x55667788, 0x11223344);
    for (const std::uint32_t word : words.word) EXPECT_EQ(random.next(), word);
  }
}

TEST(Stream, EveryPartOfTheKeyMatters) {
  const auto first = [](Stream random) { return random.next(); };
  const std::uint32_t reference = first(Stream(1, Purpose::kTest, 1, 1));
  EXPECT_NE(reference, first(Stream(2, Purpose::kTest, 1, 1)));
  EXPECT_NE(reference, first(Stream(1 + (1ull << 32), Purpose::kTest, 1, 1)));
  EXPECT_NE(reference, first(Stream(1, Purpose::kShuffle, 1, 1)));
  EXPECT_NE(reference, first(Stream(1, Purpose::kTest, 2, 1)));
  EXPECT_NE(reference, first(Stream(1, Purpose::kTest, 1, 2)));
}

TEST(Stream, BelowIsUniform) {
  Stream random(0, Purpose::kTest, 0);
  std::vector<int> counts(6);
  constexpr int kDraws = 60000;
  for (int i = 0; i < kDraws; ++i) ++counts.at(random.below(6));
  // Each count is binomial: mean 10000, standard deviation 91; five of them is one in 1.7 million.
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 6, 5 * 91);
}

TEST(Stream, UniformIsAMultipleOfTwoToTheMinus24) {
  Stream random(0, Purpose::kTest, 0), words(0, Purpose::kTest, 0);
  for (int i = 0; i < 1000; ++i) {
    const float u = random.uniform();
    EXPECT_GE(u, 0.0f);
    EXPECT_LT(u, 1.0f);
    EXPECT_EQ(u * 0x1p24f, static_cast<float>(words.next() >> 8));
  }
}

TEST(Stream, ShuffleIsAPermutationAndReachesAllOrders) {
  std::vector<int> seen(6);
  for (std::uint32_t item = 0; item < 600; ++item) {
    std::vector<int> values{0, 1, 2};
    Stream(0, Purpose::kTest, item).shuffle(std::span<int>(values));
    std::vector<int> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted, (std::vector<int>{0, 1, 2}));
    ++seen[static_cast<std::size_t>(values[0] * 2 + (values[1] > values[2]))];
  }
  // Binomial with mean 100, standard deviation 9.1.
  for (const int count : seen) EXPECT_NEAR(count, 100, 5 * 9.1);
}

TEST(StableHash, IsFixedForever) {
  // Train/test splits depend on these: a change here moves every published split.
  EXPECT_EQ(stable_hash(std::string_view("")), 0xEFD01F60BA992926u);
  EXPECT_NE(stable_hash(std::string_view("ab")), stable_hash(std::string_view("ba")));
}

}  // namespace
}  // namespace mgdm
