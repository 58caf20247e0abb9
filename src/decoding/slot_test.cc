#include "decoding/slot.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "decoding/test_support.h"

namespace mgdm::decoding {
namespace {

constexpr std::uint32_t kRows = 12;

// Nothing is given, and there is much noise.
std::vector<Puzzle> open_puzzles(std::int64_t tries, std::int64_t seed = 1) {
  spec::DecodingSettings settings = with_order("topk", 4);
  settings.noise = 5;
  settings.tries = tries;
  settings.seed = seed;
  auto puzzles = random_puzzles(1, kRows, 8, settings);
  freeze(puzzles, false);
  return puzzles;
}

// Accepts about one answer in eight.
bool accepts(std::span<const data::Token> tokens) {
  return std::accumulate(tokens.begin(), tokens.end(), 0) % 8 == 0;
}

// The tries of one puzzle, without stopping at an accepted one.
std::vector<Tokens> all_tries(Network& network, const Puzzle& puzzle, Counts* passes = nullptr) {
  std::vector<Tokens> answers;
  decode_all(network, {puzzle}, {}, [&](std::span<const data::Token> tokens) {
    answers.emplace_back(tokens.begin(), tokens.end());
    return false;
  });
  const std::unique_ptr<Attempt> attempt = make_attempt(puzzle, network);
  std::vector<float> logits(puzzle.tokens.size() * network.vocabulary());
  for (std::int64_t k = 0; k < puzzle.settings.tries; ++k) {
    attempt->begin(k);
    while (!attempt->done()) {
      network.logits({1, puzzle.tokens.size(), attempt->tokens(), puzzle.frozen}, 0, logits);
      attempt->take(logits);
    }
    if (passes) passes->push_back(attempt->passes());
    // A slot's tries are attempts 0, 1, 2, ...
    EXPECT_TRUE(std::equal(answers[static_cast<std::size_t>(k)].begin(),
                           answers[static_cast<std::size_t>(k)].end(), attempt->tokens().begin()));
  }
  return answers;
}

TEST(Slot, TakesTheFirstAcceptedAnswer) {
  FunctionNetwork network = random_network(2, kTestVocabulary);
  const auto puzzles = open_puzzles(10);
  std::size_t asked = 0, needed = 0, solved = 0;
  const std::vector<Finished> all =
      decode_all(network, puzzles, {}, [&](std::span<const data::Token> tokens) {
        ++asked;
        return accepts(tokens);
      });
  for (std::size_t b = 0; b < kRows; ++b) {
    Counts passes;
    const std::vector<Tokens> tries = all_tries(network, puzzles[b], &passes);
    std::size_t k = 0;
    while (k < tries.size() && !accepts(tries[k])) ++k;
    const bool success = k < tries.size();
    const std::size_t used = success ? k + 1 : tries.size();
    EXPECT_EQ(all[b].first.tokens, tries[0]);
    EXPECT_EQ(all[b].first.forward_passes, passes[0]);
    EXPECT_EQ(all[b].best.tokens, success ? tries[k] : tries[0]);
    EXPECT_EQ(all[b].best.forward_passes,
              std::accumulate(passes.begin(), passes.begin() + std::ptrdiff_t(used), 0));
    EXPECT_EQ(all[b].successful_try, success ? static_cast<std::int64_t>(k) : -1);
    needed += used;
    solved += success;
  }
  EXPECT_EQ(asked, needed);
  EXPECT_GT(solved, 0u);
  EXPECT_LT(solved, kRows);  // both outcomes were seen
}

TEST(Slot, SeedsShareNoTries) {
  FunctionNetwork network = random_network(2, kTestVocabulary);
  for (std::size_t b = 0; b < kRows; ++b) {
    const std::vector<Tokens> one = all_tries(network, open_puzzles(10, 1)[b]);
    const std::vector<Tokens> two = all_tries(network, open_puzzles(10, 2)[b]);
    for (std::size_t k = 0; k + 1 < one.size(); ++k) EXPECT_NE(one[k + 1], two[k]);
  }
}

TEST(Slot, TheFirstTryIsThatOfASingleOne) {
  FunctionNetwork network = random_network(2, kTestVocabulary);
  const std::vector<Finished> once = decode_all(network, open_puzzles(1));
  const std::vector<Finished> often =
      decode_all(network, open_puzzles(3), {}, [](auto) { return false; });
  for (std::size_t b = 0; b < kRows; ++b) {
    EXPECT_EQ(once[b].first.tokens, often[b].first.tokens);
    EXPECT_EQ(once[b].best.tokens, once[b].first.tokens);
    EXPECT_EQ(once[b].successful_try, -1);
  }
}

TEST(Slot, ObserversAreToldSlotAndTry) {
  FunctionNetwork network = random_network(2, kTestVocabulary);
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> seen(2);
  std::vector<Request> requests;
  for (const std::size_t row : {0u, 1u})  // the first is accepted at once, the second never
    requests.push_back({open_puzzles(3)[row],
                        [&](const Step& step) {
                          seen[step.slot].emplace_back(step.attempt, step.pass);
                          return true;
                        },
                        [row](auto) { return row == 0; }});
  const std::vector<Finished> all = decode(network, std::move(requests));
  for (std::size_t row = 0; row < 2; ++row) {
    ASSERT_EQ(static_cast<std::int64_t>(seen[row].size()), all[row].best.forward_passes);
    EXPECT_EQ(seen[row].front(), std::pair(std::int64_t{0}, std::int64_t{0}));
    EXPECT_EQ(seen[row].back().first, row == 0 ? 0 : 2);
    for (std::size_t i = 1; i < seen[row].size(); ++i) {
      const auto [attempt, pass] = seen[row][i - 1];
      const bool same_try = seen[row][i].first == attempt;
      EXPECT_EQ(seen[row][i],
                same_try ? std::pair(attempt, pass + 1) : std::pair(attempt + 1, std::int64_t{0}));
    }
  }
}

TEST(Slot, AStopEndsAllTries) {
  FunctionNetwork network = random_network(2, kTestVocabulary);
  const auto stop_in_second = [](const Step& step) { return step.attempt < 1 || step.pass < 2; };
  const Finished finished =
      decode_all(network, {open_puzzles(5)[0]}, stop_in_second, [](auto) { return false; })[0];
  EXPECT_EQ(finished.best.forward_passes, finished.first.forward_passes + 3);
  EXPECT_EQ(finished.best.tokens, finished.first.tokens);
  EXPECT_EQ(finished.successful_try, -1);
  EXPECT_FALSE(finished.error);
}

TEST(Slot, TriesWithoutNoiseAreAMistake) {
  FunctionNetwork network = random_network(2, kTestVocabulary);
  auto puzzles = open_puzzles(2);
  for (Puzzle& puzzle : puzzles) puzzle.settings.noise = 0;
  const Verifier never = [](auto) { return false; };
  EXPECT_THROW(decode_all(network, puzzles, {}, never), UsageError);
  for (Puzzle& puzzle : puzzles) puzzle.settings.temperature = 1;  // samples
  decode_all(network, puzzles, {}, never);
  for (Puzzle& puzzle : puzzles) puzzle.settings.tries = 1, puzzle.settings.temperature = 0;
  decode_all(network, puzzles, {}, never);
}

}  // namespace
}  // namespace mgdm::decoding
