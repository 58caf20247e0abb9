#include "engine/ancestral.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "base/random.h"
#include "data/vocabulary.h"
#include "nn/noised_vectors.h"

namespace mgdm::engine {
namespace {

constexpr std::int64_t kPlaces = 6, kGiven = 2, kSize = 3, kFirstToken = data::kSpecialTokens;

spec::ModelSettings vector_settings() {
  spec::ModelSettings settings;
  settings.layers = 1;
  settings.heads = 2;
  settings.width = 8;
  settings.positions = kPlaces;
  settings.vocabulary = 9;
  settings.vectors = kSize;
  settings.dropout = 0;
  return settings;
}

// Knows the probabilities of two tokens, and by Bayes' rule what z says of them; and tells what it
// was shown.
class ExactPosterior : public nn::Model {
 public:
  explicit ExactPosterior(double p)
      : Model(vector_settings(), nn::Parameters(spec::tensors_of(vector_settings()), 4)),
        prior_(at::full({9}, -40, at::kFloat)) {
    prior_[kFirstToken] = std::log(p);
    prior_[kFirstToken + 1] = std::log(1 - p);
  }

  nn::Output forward(const nn::Input& input) override {
    shown.push_back(input);
    const at::Tensor rows = nn::unit_rows(parameters_.at("transformer.vdm.tokens"));
    return {{nn::evidence(input.vectors, input.noise_level, rows) + prior_}};
  }

  std::vector<nn::Input> shown;

 private:
  at::Tensor prior_;
};

Batch puzzles(std::int64_t rows, std::int64_t first_item = 0) {
  Batch batch{at::full({rows, kPlaces}, 7, at::kLong), at::full({rows, kPlaces}, false, at::kBool),
              at::arange(first_item, first_item + rows, at::kLong)};
  batch.frozen.slice(1, 0, kGiven).fill_(true);
  return batch;
}

spec::DecodingSettings passes(std::int64_t steps, std::int64_t seed = 3) {
  spec::DecodingSettings settings;
  settings.steps = steps;
  settings.seed = seed;
  settings.decoder = spec::Decoder::kAncestral;
  return settings;
}

// Going back by the exact posterior draws tokens by their probability. What is left is the error of
// 100 steps, and 5 standard deviations of the 2000 draws: sqrt(0.7 0.3 / 2000) = 0.01.
TEST(Ancestral, DrawsByTheProbabilitiesOfAnExactNetwork) {
  ExactPosterior model(0.7);
  const Result result = decode_ancestral(model, puzzles(500), passes(100));
  const at::Tensor drawn = result.tokens.slice(1, kGiven);
  const double first = (drawn == kFirstToken).to(at::kDouble).mean().item<double>();
  const double second = (drawn == kFirstToken + 1).to(at::kDouble).mean().item<double>();
  EXPECT_NEAR(first, 0.7, 0.06);
  EXPECT_NEAR(first + second, 1, 1e-9);
}

// By the formulas of the noise, number by number.
TEST(Ancestral, GoesBackByThePosteriorOfTheNoise) {
  ExactPosterior model(0.6);
  constexpr std::int64_t kSteps = 4;
  const Batch batch = puzzles(2, 30);
  decode_ancestral(model, batch, passes(kSteps));
  const std::vector<nn::Input> shown = model.shown;
  ASSERT_EQ(shown.size(), 4u);
  const at::Tensor rows = nn::unit_rows(model.parameters().at("transformer.vdm.tokens")).detach();
  const auto normal = [&](std::int64_t b, std::int64_t pass, std::int64_t i) {
    constexpr std::int64_t kCount = kPlaces * kSize, kHalf = kCount / 2;
    Stream random(3, Purpose::kDecode, static_cast<std::uint32_t>(30 + b),
                  static_cast<std::uint32_t>(pass));
    std::vector<double> u;
    for (std::int64_t n = 0; n < kCount; ++n) u.push_back(static_cast<double>(random.uniform()));
    const auto pair = static_cast<std::size_t>(i % kHalf);
    const double radius = std::sqrt(-2 * std::log(1 - u[pair]));
    const double angle = 2 * std::numbers::pi * u[pair + kHalf];
    return radius * (i < kHalf ? std::cos(angle) : std::sin(angle));
  };
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t i = 0; i < kPlaces * kSize; ++i)
      EXPECT_NEAR(shown[0].vectors.reshape({2, -1})[b][i].item<double>(), normal(b, kSteps, i),
                  1e-5);
  for (std::int64_t k = 0; k + 1 < kSteps; ++k) {
    const nn::Input &now = shown[static_cast<std::size_t>(k)],
                    &next = shown[static_cast<std::size_t>(k + 1)];
    // From 6 at t = 1 to -3 at t = 0, in equal parts before anything is learned.
    const double gamma_t = 6 - 3.0 * static_cast<double>(k), gamma_s = gamma_t - 3;
    EXPECT_NEAR(now.noise_level[1].item<double>(), gamma_t, 1e-5);
    EXPECT_NEAR(next.noise_level[0].item<double>(), gamma_s, 1e-5);
    const at::Tensor x_hat = nn::expected_vectors(model.forward(now).last().logits(), rows);
    EXPECT_LT((next.guess - x_hat).abs().max().item<double>(), 1e-6);
    const double a_t = 1 / (1 + std::exp(gamma_t)), a_s = 1 / (1 + std::exp(gamma_s));
    const double c = 1 - std::exp(gamma_s - gamma_t);
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t i = 0; i < kPlaces * kSize; ++i) {
        const double z = now.vectors.reshape({2, -1})[b][i].item<double>();
        const double x = x_hat.reshape({2, -1})[b][i].item<double>();
        const double eps_hat = (z - std::sqrt(a_t) * x) / std::sqrt(1 - a_t);
        const double expected = std::sqrt(a_s / a_t) * (z - std::sqrt(1 - a_t) * c * eps_hat) +
                                std::sqrt((1 - a_s) * c) * normal(b, k, i);
        EXPECT_NEAR(next.vectors.reshape({2, -1})[b][i].item<double>(), expected, 1e-4);
      }
  }
}

TEST(Ancestral, KeepsWhatIsGivenAndAnswersAlone) {
  const auto model = nn::make_model(vector_settings(), 8);
  const Result all = decode_ancestral(*model, puzzles(5), passes(6));
  EXPECT_TRUE((all.tokens.slice(1, 0, kGiven) == 7).all().item<bool>());
  EXPECT_TRUE((all.forward_passes == 6).all().item<bool>());
  const Result alone = decode_ancestral(*model, puzzles(1, 3), passes(6));
  EXPECT_TRUE(at::equal(alone.tokens[0], all.tokens[3]));
  EXPECT_FALSE(at::equal(decode_ancestral(*model, puzzles(5), passes(6, 4)).tokens, all.tokens));
  // A puzzle without anything to find takes no pass.
  Batch given = puzzles(2);
  given.frozen[1].fill_(true);
  const Result some = decode_ancestral(*model, given, passes(1));
  EXPECT_EQ(some.forward_passes[0].item<std::int64_t>(), 1);
  EXPECT_EQ(some.forward_passes[1].item<std::int64_t>(), 0);
}

TEST(Ancestral, TellsEveryPassAndStopsWhenAsked) {
  const auto model = nn::make_model(vector_settings(), 8);
  std::int64_t told = 0;
  const Result result = decode_ancestral(*model, puzzles(3), passes(6), [&](const Step& step) {
    EXPECT_EQ(step.pass, told);
    EXPECT_TRUE((step.confidence.slice(1, 0, kGiven) == 1).all().item<bool>());
    EXPECT_LE(step.confidence.max().item<double>(), 1);
    return ++told < 4;
  });
  EXPECT_EQ(told, 4);
  EXPECT_TRUE((result.forward_passes == 4).all().item<bool>());
}

}  // namespace
}  // namespace mgdm::engine
