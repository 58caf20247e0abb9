#include "decoding/uniform_posterior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace mgdm::decoding {
namespace {

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
