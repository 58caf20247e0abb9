#include "objectives/uniform_posterior.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log_softmax.h>
#include <gtest/gtest.h>

#include <cmath>

#include "objectives/objective.h"
#include "objectives/test_support.h"

namespace mgdm::objectives {
namespace {

PlainDiffusion uniform_diffusion(int steps, int categories) {
  return PlainDiffusion(steps, categories, [=](int t) {
    const double beta = linear_beta(t, steps);
    const auto size = static_cast<std::size_t>(categories);
    PlainDiffusion::Matrix q(size, std::vector<double>(size, beta / categories));
    for (std::size_t i = 0; i < size; ++i) q[i][i] += 1 - beta;
    return q;
  });
}

TEST(UniformPosterior, IsBayesRule) {
  constexpr int kSteps = 5, kCategories = 4;
  const PlainDiffusion plain = uniform_diffusion(kSteps, kCategories);
  const at::Tensor logits = random_logits(1, 1, kCategories);
  const at::Tensor log_f = at::log_softmax(logits, -1);
  const auto f = probabilities(logits, 0, 0);
  for (std::int64_t t = 0; t < kSteps; ++t)
    for (std::int64_t x_t = 0; x_t < kCategories; ++x_t) {
      const at::Tensor level = at::full({1}, t, at::kLong), now = at::full({1, 1}, x_t, at::kLong);
      const at::Tensor p = at::exp(log_uniform_posterior(now, log_f, level, kSteps));
      EXPECT_NEAR(p.sum().item<double>(), 1, 1e-12);
      const auto expected =
          plain.posterior(static_cast<std::size_t>(t + 1), static_cast<std::size_t>(x_t), f);
      for (std::int64_t k = 0; k < kCategories; ++k)
        EXPECT_NEAR(p[0][0][k].item<double>(), expected[static_cast<std::size_t>(k)], 1e-12);
      for (std::int64_t x_0 = 0; x_0 < kCategories; ++x_0)
        EXPECT_NEAR(uniform_divergence(now, at::full({1, 1}, x_0, at::kLong), log_f, level, kSteps)
                        .item<double>(),
                    plain.divergence(static_cast<std::size_t>(t + 1), static_cast<std::size_t>(x_t),
                                     static_cast<std::size_t>(x_0), f),
                    1e-12);
    }
}

// The marginal of the noise is the product of its steps: alpha_t = 1 - t/T on the token itself.
TEST(UniformPosterior, ScheduleIsThatOfTheMasks) {
  const PlainDiffusion plain = uniform_diffusion(5, 4);
  for (std::size_t t = 0; t <= 5; ++t) {
    const double alpha = 1 - static_cast<double>(t) / 5;
    EXPECT_NEAR(plain.marginal(t, 1)[1], alpha + (1 - alpha) / 4, 1e-12);
  }
}

TEST(UniformPosterior, IsFiniteForAnAllTooSureNetwork) {
  const at::Tensor logits = at::full({1, 2, 4}, 0.0, at::kFloat);
  logits.select(2, 0).fill_(300);  // softmax underflows elsewhere
  const at::Tensor variable = logits.set_requires_grad(true);
  for (std::int64_t t = 0; t < 5; ++t)
    uniform_divergence(at::full({1, 2}, 2, at::kLong), at::full({1, 2}, 1, at::kLong),
                       at::log_softmax(variable, -1), at::full({1}, t, at::kLong), 5)
        .sum()
        .backward();
  EXPECT_TRUE(variable.grad().isfinite().all().item<bool>());
}

Settings settings_of(std::int64_t steps) {
  Settings settings;
  settings.kind = "d3pm_uniform";
  settings.steps = steps;
  settings.vocabulary = kTestVocabulary;
  return settings;
}

// Category of a token: [PAD], [EOS], then the ordinary ones.
std::size_t category(std::int64_t token) {
  return static_cast<std::size_t>(token == kPad ? 0 : token == kEos ? 1 : token - 3);
}

TEST(Uniform, LossIsTheDivergenceOverTokensOfAnOutput) {
  constexpr int kSteps = 3;
  const Batch batch = small_batch(20);
  const at::Tensor logits = random_logits(batch);
  const auto objective = make_objective(settings_of(kSteps));
  const Noised noised = objective->noise(batch, 3).front();
  const PlainDiffusion plain = uniform_diffusion(kSteps, kTestVocabulary - 3);
  double sum = 0, count = 0;
  for (std::int64_t b = 0; b < 20; ++b)
    for (std::int64_t n = 4; n < batch.tokens.size(1); ++n) {
      const auto p = probabilities(logits, b, n);
      std::vector<double> f{p[kPad], p[kEos]};
      f.insert(f.end(), p.begin() + kFirstOrdinary, p.end());
      double total = 0;
      for (const double value : f) total += value;
      for (double& value : f) value /= total;
      sum += plain.divergence(static_cast<std::size_t>(noised.t[b].item<std::int64_t>() + 1),
                              category(integer(noised.input, b, n)),
                              category(integer(batch.tokens, b, n)), f);
      count += 1;
    }
  EXPECT_FALSE(objective->is_cross_entropy());
  const LossSum loss = objective->loss({{logits}}, batch, noised);
  EXPECT_NEAR(loss.sum.item<double>(), sum, 1e-9);
  EXPECT_EQ(loss.count.item<double>(), count);
}

// Every token an output can hold is drawn equally often at the last level; bounds are five standard
// deviations.
TEST(Uniform, NoiseIsUniformOverTokensOfAnOutput) {
  const std::int64_t rows = 3000;
  const Batch batch = small_batch(rows);
  const Noised noised = make_objective(settings_of(1))->noise(batch, 3).front();
  std::vector<double> counts(kTestVocabulary);
  for (std::int64_t b = 0; b < rows; ++b)
    for (std::int64_t n = 4; n < batch.tokens.size(1); ++n)
      counts[static_cast<std::size_t>(integer(noised.input, b, n))] += 1;
  const double positions = 8.0 * static_cast<double>(rows), p = 1.0 / (kTestVocabulary - 3);
  for (const std::int64_t never : {kSep, kMask, std::int64_t{4}})
    EXPECT_EQ(counts[static_cast<std::size_t>(never)], 0);
  for (const std::int64_t token : {0, 3, 5, 6, 7, 8})
    EXPECT_NEAR(counts[static_cast<std::size_t>(token)], positions * p,
                5 * std::sqrt(positions * p * (1 - p)));
}

}  // namespace
}  // namespace mgdm::objectives
