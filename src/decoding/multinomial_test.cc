#include "decoding/multinomial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "decoding/network.h"
#include "decoding/test_support.h"

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

TEST(UniformPosterior, CategoriesAreTheTokensOfAnswers) {
  EXPECT_EQ(category_count(10), 7u);
  const std::vector<data::Token> tokens{data::kPad, data::kEos, 5, 6, 7, 8, 9};
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    EXPECT_EQ(token_of_category(k), tokens[k]);
    EXPECT_EQ(category_of_token(tokens[k]), k);
  }
  EXPECT_THROW(category_of_token(data::kMask), std::logic_error);
}

TEST(UniformPosterior, PredictionsAreOfCategories) {
  const std::vector<float> logits{1, 50, 60, 2, 70, 3, 0};
  std::vector<float> log_f(4);
  category_log_probs(logits, log_f);
  const double log_sum = std::log(std::exp(1.0) + std::exp(2.0) + std::exp(3.0) + std::exp(0.0));
  EXPECT_NEAR(log_f[0], 1 - log_sum, 1e-6);
  EXPECT_NEAR(log_f[1], 2 - log_sum, 1e-6);
  EXPECT_NEAR(log_f[2], 3 - log_sum, 1e-6);
  EXPECT_NEAR(log_f[3], 0 - log_sum, 1e-6);
}

// Bayes' rule over transition matrices: p(x_{t-1} = j | x_t) is proportional to
// Q_t[j][x_t] sum_i f[i] (Q_1 ... Q_{t-1})[i][j].
std::vector<double> by_bayes(std::size_t x_t, const std::vector<double>& f, int t, int steps) {
  const std::size_t count = f.size();
  std::vector<double> before = f;  // the distribution of x_{t-1} when x_0 ~ f
  const auto beta = [&](int at) { return 1.0 / (steps - at); };
  for (int at = 0; at < t; ++at)
    for (double& p : before) p = (1 - beta(at)) * p + beta(at) / static_cast<double>(count);
  double sum = 0;
  for (std::size_t j = 0; j < count; ++j) {
    before[j] *= (j == x_t ? 1 - beta(t) : 0) + beta(t) / static_cast<double>(count);
    sum += before[j];
  }
  for (double& p : before) p /= sum;
  return before;
}

TEST(UniformPosterior, IsWhatBayesRuleSays) {
  Stream random(3, Purpose::kTest, 0);
  for (const int steps : {1, 2, 7, 20})
    for (int t = 0; t < steps; ++t) {
      std::vector<float> log_f(7), log_posterior(7);
      std::vector<double> f;
      for (float& value : log_f) value = 5 * random.uniform();
      double sum = 0;
      for (const float value : log_f) sum += std::exp(double{value});
      for (float& value : log_f) {
        f.push_back(std::exp(double{value}) / sum);
        value = static_cast<float>(std::log(f.back()));
      }
      const std::size_t x_t = random.below(7);
      log_uniform_posterior(x_t, log_f, t, steps, log_posterior);
      const std::vector<double> expected = by_bayes(x_t, f, t, steps);
      for (std::size_t k = 0; k < 7; ++k)
        EXPECT_NEAR(std::exp(log_posterior[k]), expected[k], 1e-6) << t << " of " << steps;
    }
}

}  // namespace

}  // namespace mgdm::decoding
