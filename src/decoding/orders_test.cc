#include "decoding/orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "decoding/attempt.h"

namespace mgdm::decoding {
namespace {

using Mask = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

DecodingSettings settings_of(std::int64_t steps, double noise = 0) {
  DecodingSettings settings;
  settings.steps = steps;
  settings.noise = noise;
  return settings;
}

Mask cut(const Floats& score, const Mask& eligible, std::size_t count) {
  Mask mask(score.size(), 7);  // what stood there before does not matter
  below_cutoff(score, eligible, count, mask);
  return mask;
}

TEST(Orders, BelowTheCutoffAreTheLowest) {
  const Floats score{-3, -1, -2, -4};
  const Mask all{1, 1, 1, 1};
  EXPECT_EQ(cut(score, all, 0), (Mask{0, 0, 0, 0}));
  EXPECT_EQ(cut(score, all, 1), (Mask{0, 0, 0, 1}));
  EXPECT_EQ(cut(score, all, 2), (Mask{1, 0, 0, 1}));
  EXPECT_EQ(cut(score, all, 3), (Mask{1, 0, 1, 1}));
  EXPECT_EQ(cut(score, {1, 1, 1, 0}, 2), (Mask{1, 0, 1, 0}));  // -4 does not count
}

TEST(Orders, WhatTiesWithTheCutoffIsShown) {
  const Floats score{-1, -2, -2, -2, -3};
  const Mask all{1, 1, 1, 1, 1};
  EXPECT_EQ(cut(score, all, 1), (Mask{0, 0, 0, 0, 1}));
  EXPECT_EQ(cut(score, all, 2), (Mask{0, 0, 0, 0, 1}));  // the second lowest is one of three
  EXPECT_EQ(cut(score, all, 3), (Mask{0, 0, 0, 0, 1}));
  EXPECT_EQ(cut(score, all, 4), (Mask{0, 1, 1, 1, 1}));
  EXPECT_EQ(cut({-1, -1, -1}, {1, 1, 1}, 2), (Mask{0, 0, 0}));  // all equal: all are shown
}

TEST(Orders, MoreThanThereAreMasksAllThatMayBe) {
  EXPECT_EQ(cut({-1, -1, -3}, {1, 1, 0}, 2), (Mask{1, 1, 0}));
  EXPECT_EQ(cut({-1, -2, -3}, {0, 0, 0}, 2), (Mask{0, 0, 0}));
}

Mask but_surest(const Floats& score, const Mask& masked, std::size_t count) {
  Mask mask(score.size(), 7);
  all_but_surest(score, masked, count, mask);
  return mask;
}

TEST(Orders, TheSurestIsAlwaysShown) {
  const Floats score{-3, -1, -2, -4};
  EXPECT_EQ(but_surest(score, {1, 1, 1, 1}, 2), (Mask{1, 0, 0, 1}));
  EXPECT_EQ(but_surest(score, {1, 1, 1, 1}, 4), (Mask{1, 0, 1, 1}));
  EXPECT_EQ(but_surest(score, {1, 0, 0, 1}, 9), (Mask{0, 0, 0, 1}));
  EXPECT_EQ(but_surest(score, {1, 0, 0, 0}, 1), (Mask{0, 0, 0, 0}));
  EXPECT_EQ(but_surest(score, {0, 0, 0, 0}, 1), (Mask{0, 0, 0, 0}));
  EXPECT_EQ(but_surest({-1, -1, -1}, {1, 1, 1}, 3), (Mask{1, 1, 0}));  // the last of equals
}

TEST(Orders, Schedules) {
  DecodingSettings settings = settings_of(7);
  EXPECT_EQ(masked_count(10, 6, settings), 8u);  // floor(60 / 7)
  EXPECT_EQ(masked_count(10, 1, settings), 1u);
  EXPECT_EQ(masked_count(10, 0, settings), 0u);
  settings.schedule = "cosine";
  EXPECT_EQ(masked_count(10, 6, settings), 9u);  // 10 cos(pi/14) = 9.75
  EXPECT_EQ(masked_count(10, 1, settings), 2u);  // 10 cos(6 pi/14) = 2.23
  EXPECT_EQ(masked_count(10, 0, settings), 0u);
}

// Log-probabilities (N, 3) from probabilities, and the score of the likeliest.
struct Predictions {
  explicit Predictions(const Floats& probabilities) {
    for (const float p : probabilities) log_probs.push_back(std::log(p));
    for (std::size_t n = 0; n < log_probs.size(); n += 3)
      score.push_back(std::max({log_probs[n], log_probs[n + 1], log_probs[n + 2]}));
  }
  Mask after(const std::string& order, const DecodingSettings& settings, std::int64_t t,
             const Mask& masked, const Floats& draws = {}) const {
    Mask mask(masked.size(), 7);
    order_kind(order).choose({.t = t,
                              .diffused = masked.size(),
                              .eligible = masked,
                              .masked = masked,
                              .log_probs = log_probs,
                              .score = score,
                              .draws = draws},
                             settings, mask);
    return mask;
  }

  Floats log_probs, score;
};

// The third is likelier than the second, but leads by less.
const Predictions kThree({0.90f, 0.05f, 0.05f, 0.50f, 0.25f, 0.25f, 0.51f, 0.48f, 0.01f});
const Mask kAll{1, 1, 1};

TEST(Orders, TopKAndMarginAskDifferentQuestions) {
  EXPECT_EQ(kThree.after("topk", settings_of(3), 1, kAll), (Mask{0, 1, 0}));
  EXPECT_EQ(kThree.after("margin", settings_of(3), 1, kAll), (Mask{0, 0, 1}));
  EXPECT_EQ(kThree.after("topk", settings_of(3), 2, kAll), (Mask{0, 1, 1}));
  EXPECT_EQ(kThree.after("topk", settings_of(3), 1, {1, 0, 1}), (Mask{0, 0, 1}));
}

// A token that ties with the best leads by nothing, wherever the two stand.
TEST(Orders, MarginOfTies) {
  for (const Floats& tie :
       {Floats{0.4f, 0.4f, 0.2f}, Floats{0.4f, 0.2f, 0.4f}, Floats{0.2f, 0.4f, 0.4f}}) {
    Floats all{0.4f, 0.3f, 0.3f, 0.3f, 0.4f, 0.3f, 0.3f, 0.3f, 0.4f};
    std::ranges::copy(tie, all.begin() + 3);
    EXPECT_EQ(Predictions(all).after("margin", settings_of(3), 1, kAll), (Mask{0, 1, 0}));
  }
}

TEST(Orders, NoiseShrinksWithT) {
  // Gumbel noise is large where the draw is near 1 and below 0 where it is near 0.
  const Floats draws{0.01f, 0.99f, 0.5f};
  EXPECT_EQ(kThree.after("topk", settings_of(3, 5), 1, kAll, draws), (Mask{1, 0, 0}));
  EXPECT_EQ(kThree.after("margin", settings_of(3, 5), 1, kAll, draws), (Mask{1, 0, 0}));
  // log 0.9 + s g(0.01) = log 0.51 + s g(0.5) at s = 0.3: with t/T = 1/3 that is a noise of 0.9.
  const double s =
      (std::log(0.9) - std::log(0.51)) / static_cast<double>(gumbel(0.5f) - gumbel(0.01f));
  for (const double factor : {0.99, 1.01}) {
    const Mask mask = kThree.after("topk", settings_of(3, factor * s * 3), 1, {1, 0, 1}, draws);
    EXPECT_EQ(mask, factor < 1 ? (Mask{0, 0, 1}) : (Mask{1, 0, 0}));
  }
}

TEST(Orders, RandomKeepsAMaskWithProbabilityTOverTPlusOne) {
  const Floats draws{0.24f, 0.26f, 0.9f};
  EXPECT_EQ(kThree.after("random", settings_of(8), 3, kAll, draws), (Mask{0, 1, 1}));
  EXPECT_EQ(kThree.after("random", settings_of(8), 1, kAll, draws), (Mask{0, 0, 1}));
  EXPECT_EQ(kThree.after("random", settings_of(8), 3, {1, 0, 1}, draws), (Mask{0, 0, 1}));
}

TEST(Orders, ThresholdShowsWhatIsSure) {
  DecodingSettings settings = settings_of(8);
  for (const auto& [threshold, expected] : {std::pair{0.95, Mask{0, 1, 1}},
                                            {0.6, Mask{0, 1, 1}},
                                            {0.505, Mask{0, 1, 0}},
                                            {0.4, Mask{0, 0, 0}}}) {
    settings.threshold = threshold;
    EXPECT_EQ(kThree.after("threshold", settings, 5, kAll), expected) << threshold;
  }
}

TEST(Orders, EntropyShowsWhatIsSureTogether) {
  // 0.394, 1.040 and 0.742 nats.
  DecodingSettings settings = settings_of(8);
  for (const auto& [bound, expected] : {std::pair{0.0, Mask{0, 1, 1}},
                                        {1.13, Mask{0, 1, 1}},
                                        {1.14, Mask{0, 1, 0}},
                                        {2.2, Mask{0, 0, 0}}}) {
    settings.entropy_bound = bound;
    EXPECT_EQ(kThree.after("entropy", settings, 5, kAll), expected) << bound;
  }
  settings.entropy_bound = 1.1;
  EXPECT_EQ(kThree.after("entropy", settings, 5, {0, 1, 1}), (Mask{0, 1, 0}));
}

TEST(Orders, UnknownOnesAreAMistake) { EXPECT_THROW(order_kind("best").choose, UsageError); }

}  // namespace
}  // namespace mgdm::decoding
