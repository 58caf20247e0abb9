#include "decoding/slot.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "decoding/test_support.h"

namespace mgdm::decoding {
namespace {

constexpr std::uint32_t kRows = 12;

// Nothing is given, and there is much noise.
std::vector<Puzzle> open_puzzles(std::int64_t attempt = 0, std::int64_t seed = 1) {
  spec::DecodingSettings settings = with_order("topk", 4);
  settings.noise = 5;
  settings.seed = seed;
  auto puzzles = random_puzzles(1, kRows, 8, settings);
  for (Puzzle& puzzle : puzzles) puzzle.attempt = attempt;
  freeze(puzzles, false);
  return puzzles;
}

// Accepts about one answer in four.
bool accepts(std::span<const data::Token> tokens) {
  return std::accumulate(tokens.begin(), tokens.end(), 0) % 4 == 0;
}

TEST(Slot, SaysWhetherItsAnswerIsAccepted) {
  FunctionNetwork network = random_network(2, kTestVocabulary);
  std::size_t asked = 0, accepted = 0;
  for (const Finished& finished :
       decode_all(network, open_puzzles(), {}, [&](std::span<const data::Token> tokens) {
         ++asked;
         return accepts(tokens);
       })) {
    EXPECT_EQ(finished.successful_try, accepts(finished.best.tokens) ? 0 : -1);
    EXPECT_EQ(finished.best.tokens, finished.first.tokens);
    EXPECT_EQ(finished.best.forward_passes, finished.first.forward_passes);
    accepted += finished.successful_try == 0;
  }
  EXPECT_EQ(asked, kRows);
  EXPECT_GT(accepted, 0u);
  EXPECT_LT(accepted, kRows);  // both outcomes were seen
  for (const Finished& finished : decode_all(network, open_puzzles()))
    EXPECT_EQ(finished.successful_try, -1);  // nobody was asked
}

// Of so many answers that hardly two are alike by chance.
TEST(Slot, EveryTryOfEverySeedIsAnother) {
  FunctionNetwork network = random_network(2, kTestVocabulary);
  for (std::size_t b = 0; b < kRows; ++b) {
    std::set<Tokens> answers;
    for (const std::int64_t seed : {1, 2})
      for (std::int64_t attempt = 0; attempt < 10; ++attempt) {
        Puzzle puzzle = open_puzzles(attempt, seed)[b];
        puzzle.settings.temperature = 100;
        answers.insert(decode_all(network, {puzzle})[0].best.tokens);
      }
    EXPECT_EQ(answers.size(), 20u);
  }
}

}  // namespace
}  // namespace mgdm::decoding
