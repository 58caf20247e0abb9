#include "decoding/multinomial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "decoding/log_probs.h"
#include "decoding/test_support.h"
#include "decoding/uniform_posterior.h"

namespace mgdm::decoding {
namespace {

constexpr std::size_t kVocabulary = 10, kLength = 6, kCategories = kVocabulary - 3;

// Two frozen tokens and four to find.
std::vector<Puzzle> some_puzzles(std::uint32_t rows, std::int64_t steps) {
  std::vector<Puzzle> puzzles;
  for (std::uint32_t row = 0; row < rows; ++row) {
    Puzzle puzzle{.tokens = Tokens(kLength, 7), .frozen = {1, 1, 0, 0, 0, 0}, .item = 50 + row};
    puzzle.tokens[0] = static_cast<data::Token>(5 + row % 5);
    puzzle.settings = with_order("multinomial", steps);
    puzzle.settings.seed = 3;
    puzzles.push_back(puzzle);
  }
  return puzzles;
}

// The definitions with plain loops in double; the posterior has a test of its own.
Tokens slow(Network& network, const Puzzle& puzzle) {
  const std::int64_t steps = puzzle.settings.steps;
  const auto stream = [&](std::int64_t pass) {
    return Stream(3, Purpose::kDecode, puzzle.item, static_cast<std::uint32_t>(pass));
  };
  Tokens tokens = puzzle.tokens;
  Stream start = stream(steps);
  for (std::size_t n = 0; n < kLength; ++n) {
    const auto category = static_cast<std::size_t>(double{start.uniform()} * kCategories);
    if (!puzzle.frozen[n]) tokens[n] = token_of_category(category);
  }
  std::vector<float> logits(kLength * kVocabulary), log_f(kCategories), posterior(kCategories);
  for (std::int64_t t = steps - 1; t >= 0; --t) {
    network.logits({1, kLength, tokens, puzzle.frozen}, 0, logits);
    Stream random = stream(steps - 1 - t);
    for (std::size_t n = 0; n < kLength; ++n) {
      std::vector<double> score(kCategories);
      for (double& each : score)  // frozen positions have draws of their own
        each = t > 0 ? -std::log(-std::log(std::max<double>(random.uniform(), 0x1p-25))) : 0;
      if (puzzle.frozen[n]) continue;
      category_log_probs(std::span(logits).subspan(n * kVocabulary, kVocabulary), log_f);
      log_uniform_posterior(category_of_token(tokens[n]), log_f, t, steps, posterior);
      std::size_t best = 0;
      for (std::size_t k = 0; k < kCategories; ++k)
        if ((score[k] += posterior[k]) > score[best]) best = k;
      tokens[n] = token_of_category(best);
    }
  }
  return tokens;
}

TEST(Multinomial, EqualsTheSlowObviousWay) {
  FunctionNetwork network = random_network(4, kVocabulary);
  for (const std::int64_t steps : {1, 2, 7}) {
    const auto puzzles = some_puzzles(8, steps);
    for (const TryResult& finished : decode_all(network, puzzles)) {
      EXPECT_EQ(finished.tokens, slow(network, puzzles[finished.slot])) << steps;
      EXPECT_EQ(finished.passes, steps);
    }
  }
}

TEST(Multinomial, ASureNetworkGetsItsAnswer) {
  const auto puzzles = some_puzzles(5, 10);
  std::vector<Tokens> answers;
  for (const Puzzle& puzzle : puzzles)
    answers.push_back({puzzle.tokens[0], puzzle.tokens[1], 9, 9, 9, data::kEos});
  FunctionNetwork oracle =
      oracle_network(answers, std::vector(5, std::vector<int>(kLength)), kVocabulary);
  for (const TryResult& finished : decode_all(oracle, puzzles))
    EXPECT_EQ(finished.tokens, answers[finished.slot]);
}

TEST(Multinomial, NeverShowsAMask) {
  const auto puzzles = some_puzzles(16, 9);
  FunctionNetwork network = random_network(4, kVocabulary);
  decode_all(network, puzzles, [&](std::size_t row, const Step& step) {
    for (std::size_t n = 0; n < kLength; ++n) {
      EXPECT_TRUE(is_answer(step.tokens[n]));
      EXPECT_GT(step.confidence[n], 0);
      EXPECT_LE(step.confidence[n], 1);
      EXPECT_TRUE(n >= 2 || step.tokens[n] == puzzles[row].tokens[n]);
    }
    return true;
  });
}

TEST(Multinomial, EveryTryStartsFromOtherTokens) {
  auto puzzles = some_puzzles(1, 3);
  FunctionNetwork network = random_network(4, kVocabulary);
  std::vector<Tokens> after_first_pass;
  for (; puzzles[0].attempt < 4; ++puzzles[0].attempt)
    decode_all(network, puzzles, [&](std::size_t, const Step& step) {
      if (step.pass == 0) after_first_pass.emplace_back(step.tokens.begin(), step.tokens.end());
      return true;
    });
  ASSERT_EQ(after_first_pass.size(), 4u);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_NE(after_first_pass[k], after_first_pass[k - 1]);
}

}  // namespace
}  // namespace mgdm::decoding
