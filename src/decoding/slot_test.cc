#include "decoding/slot.h"

#include <gtest/gtest.h>

#include <set>

#include "decoding/test_support.h"

namespace mgdm::decoding {
namespace {

constexpr std::uint32_t kRows = 12;

// Nothing is given, and there is much noise.
std::vector<Puzzle> open_puzzles(std::int64_t attempt = 0, std::int64_t seed = 1) {
  DecodingSettings settings = with_order("topk", 4);
  settings.noise = 5;
  settings.seed = seed;
  auto puzzles = random_puzzles(1, kRows, 8, settings);
  for (Puzzle& puzzle : puzzles) puzzle.attempt = attempt;
  freeze(puzzles, false);
  return puzzles;
}

// The answers are so many that two are hardly ever alike by chance.
TEST(Slot, EveryTryOfEverySeedIsAnother) {
  FunctionNetwork network = random_network(2, kTestVocabulary);
  for (std::size_t b = 0; b < kRows; ++b) {
    std::set<Tokens> answers;
    for (const std::int64_t seed : {1, 2})
      for (std::int64_t attempt = 0; attempt < 10; ++attempt) {
        Puzzle puzzle = open_puzzles(attempt, seed)[b];
        puzzle.settings.temperature = 100;
        answers.insert(decode_all(network, {puzzle})[0].tokens);
      }
    EXPECT_EQ(answers.size(), 20u);
  }
}

}  // namespace
}  // namespace mgdm::decoding
