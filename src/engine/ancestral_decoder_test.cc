#include "engine/ancestral_decoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "data/vocabulary.h"
#include "nn/vector_reader.h"

namespace mgdm::engine {
namespace {

using decoding::Try;
using decoding::TryResult;

constexpr std::int64_t kPlaces = 6, kGiven = 2, kSize = 3;
constexpr data::Token kFirstToken = data::kSpecialTokens;

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

std::vector<Try> puzzles(std::uint32_t rows, std::int64_t steps, std::uint32_t first_item = 0,
                         std::int64_t seed = 3) {
  Try one;
  one.puzzle.tokens.assign(kPlaces, 7);
  one.puzzle.frozen.assign(kPlaces, 0);
  std::fill_n(one.puzzle.frozen.begin(), kGiven, std::uint8_t{1});
  one.puzzle.settings.steps = steps;
  one.puzzle.settings.seed = seed;
  one.puzzle.settings.decoder = decoding::Decoder::kAncestral;
  std::vector<Try> all(rows, one);
  for (std::uint32_t i = 0; i < rows; ++i) all[i].puzzle.item = first_item + i;
  return all;
}

// Results in the order of the tries.
std::vector<TryResult> decoded(std::shared_ptr<nn::Model> model, const std::vector<Try>& tries,
                               bool one_by_one = false) {
  AncestralDecoder decoder(std::move(model), /*bf16=*/false, one_by_one);
  for (std::size_t i = 0; i < tries.size(); ++i) decoder.join(i, tries[i]);
  std::vector<TryResult> all(tries.size());
  while (decoder.active() > 0)
    for (TryResult& result : decoder.pass()) {
      if (result.error) std::rethrow_exception(result.error);
      all[result.slot] = std::move(result);
    }
  return all;
}

// Going back by the exact posterior draws tokens by their probability. What is left is the error of
// 100 steps, and 5 standard deviations of the 2000 draws: sqrt(0.7 0.3 / 2000) = 0.01.
TEST(Ancestral, DrawsByTheProbabilitiesOfAnExactNetwork) {
  double first = 0, second = 0;
  for (const TryResult& result :
       decoded(std::make_shared<ExactPosterior>(0.7), puzzles(500, /*steps=*/100)))
    for (std::size_t n = kGiven; n < kPlaces; ++n) {
      first += result.tokens[n] == kFirstToken;
      second += result.tokens[n] == kFirstToken + 1;
    }
  EXPECT_NEAR(first / 2000, 0.7, 0.06);
  EXPECT_NEAR((first + second) / 2000, 1, 1e-9);
}

// By the formulas of the noise, number by number.
TEST(Ancestral, GoesBackByThePosteriorOfTheNoise) {
  const auto model = std::make_shared<ExactPosterior>(0.6);
  constexpr std::int64_t kSteps = 4;
  decoded(model, puzzles(2, kSteps, /*first_item=*/30));
  const std::vector<nn::Input> shown = model->shown;
  ASSERT_EQ(shown.size(), 4u);
  const at::Tensor rows = nn::unit_rows(model->parameters().at("transformer.vdm.tokens")).detach();
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
    const at::Tensor x_hat = nn::expected_vectors(model->forward(now).last().logits(), rows);
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
  const std::shared_ptr<nn::Model> model = nn::make_model(vector_settings(), 8);
  const std::vector<TryResult> all = decoded(model, puzzles(5, 6));
  for (const TryResult& result : all) {
    for (std::size_t n = 0; n < kGiven; ++n) EXPECT_EQ(result.tokens[n], 7u);
    EXPECT_EQ(result.passes, 6);
  }
  EXPECT_EQ(decoded(model, puzzles(1, 6, 3))[0].tokens, all[3].tokens);
  EXPECT_EQ(decoded(model, puzzles(5, 6), /*one_by_one=*/true)[3].tokens, all[3].tokens);
  bool differs = false;
  const std::vector<TryResult> other_seed = decoded(model, puzzles(5, 6, 0, /*seed=*/4));
  for (std::size_t i = 0; i < 5; ++i) differs |= other_seed[i].tokens != all[i].tokens;
  EXPECT_TRUE(differs);
  // A puzzle without anything to find takes no pass.
  std::vector<Try> given = puzzles(2, 1);
  given[1].puzzle.frozen.assign(kPlaces, 1);
  const std::vector<TryResult> some = decoded(model, given);
  EXPECT_EQ(some[0].passes, 1);
  EXPECT_EQ(some[1].passes, 0);
}

TEST(Ancestral, PuzzlesJoinBetweenPassesAndLeave) {
  const std::shared_ptr<nn::Model> model = nn::make_model(vector_settings(), 8);
  AncestralDecoder decoder(model);
  const std::vector<Try> tries = puzzles(4, 6);
  for (std::size_t i = 0; i < 3; ++i) decoder.join(i, tries[i]);
  EXPECT_TRUE(decoder.pass().empty());
  decoder.join(3, tries[3]);
  EXPECT_TRUE(decoder.cancel(1));
  EXPECT_FALSE(decoder.cancel(1));
  EXPECT_EQ(decoder.active(), 3u);
  const std::vector<TryResult> alone = decoded(model, tries);
  std::size_t finished = 0;
  while (decoder.active() > 0)
    for (const TryResult& result : decoder.pass()) {
      EXPECT_EQ(result.tokens, alone[result.slot].tokens);
      ++finished;
    }
  EXPECT_EQ(finished, 3u);
}

TEST(Ancestral, ObserversSeeEveryPassAndEndTheirOwnPuzzle) {
  const std::shared_ptr<nn::Model> model = nn::make_model(vector_settings(), 8);
  std::vector<Try> tries = puzzles(3, 6);
  std::int64_t seen = 0;
  tries[1].observer = [&](const decoding::Step& step) {
    EXPECT_EQ(step.pass, seen);
    for (std::size_t n = 0; n < kPlaces; ++n) {
      EXPECT_LE(step.confidence[n], 1);
      EXPECT_TRUE(n >= kGiven || step.confidence[n] == 1);
    }
    return ++seen < 4;
  };
  const std::vector<TryResult> all = decoded(model, tries);
  EXPECT_EQ(seen, 4);
  EXPECT_EQ(all[1].passes, 4);
  EXPECT_EQ(all[0].passes, 6);
  tries[1].observer = {};
  tries[2].observer = [](const decoding::Step&) -> bool { throw Error("enough"); };
  EXPECT_THROW(decoded(model, tries), Error);
}

}  // namespace
}  // namespace mgdm::engine
