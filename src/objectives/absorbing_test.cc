#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "objectives/objective.h"
#include "objectives/terms.h"
#include "objectives/test_support.h"

namespace mgdm::objectives {
namespace {

constexpr std::int64_t kNoiseSteps = 6;

Settings settings_of(const std::string& kind) {
  Settings settings;
  settings.kind = kind;
  settings.steps = kNoiseSteps;
  settings.vocabulary = kTestVocabulary;
  return settings;
}

double plain_weight(const std::string& name, std::int64_t t) {
  if (name == "original") return 1.0 / static_cast<double>(t + 1);
  if (name == "linear") return static_cast<double>(kNoiseSteps - t);
  return 1;
}

TEST(Absorbing, LossIsTheFormulaOfThePaper) {
  const Batch batch = small_batch(8);
  const at::Tensor logits = random_logits(batch);
  for (const std::string weight : {"none", "original", "linear"})
    for (const double beta : {0.0, 1.0, 2.0}) {  // 0: tokens are not reweighted
      Settings settings = settings_of("mgdm");
      settings.sequence_weight = weight;
      settings.reweight_tokens = beta > 0;
      settings.beta = beta;
      const auto objective = make_objective(settings);
      const Noised noised = objective->noise(batch, 3).front();
      double sum = 0, count = 0;
      for (std::int64_t b = 0; b < 8; ++b)
        for (std::int64_t n = 0; n < batch.tokens.size(1); ++n) {
          if (integer(noised.input, b, n) != kMask) continue;
          const double ce = plain_cross_entropy(logits, batch.tokens, b, n);
          const double v = beta > 0 ? 0.25 * std::pow(1 - std::exp(-ce), beta) : 1;
          sum += plain_weight(weight, noised.t[b].item<std::int64_t>()) * v * ce;
          count += 1;
        }
      const LossSum loss = objective->loss({{logits}}, batch, noised);
      // The weights are float32: relative error 2^-24.
      EXPECT_NEAR(loss.sum.item<double>(), sum, 1e-7 * sum) << weight << " " << beta;
      EXPECT_EQ(loss.count.item<double>(), count);
    }
}

TEST(Absorbing, DrawsAreThoseOfTheStreams) {
  const Batch batch = small_batch(30, 100, 9);
  const Noised noised = make_objective(settings_of("mgdm"))->noise(batch, 3).front();
  for (std::int64_t b = 0; b < 30; ++b) {
    const auto item = static_cast<std::uint32_t>(100 + b);
    const double T = kNoiseSteps;
    const auto t = static_cast<std::int64_t>(Stream(3, Purpose::kTimestep, item, 9).uniform() * T);
    EXPECT_EQ(noised.t[b].item<std::int64_t>(), t);
    Stream mask(3, Purpose::kMask, item, 9);
    for (std::int64_t n = 0; n < batch.tokens.size(1); ++n) {
      const bool masked = mask.uniform() < static_cast<double>(t + 1) / T && n >= 4;
      EXPECT_EQ(integer(noised.input, b, n), masked ? kMask : integer(batch.tokens, b, n));
      EXPECT_EQ(flag(noised.counted, b, n), masked);
    }
  }
}

// With probability full_mask an example is all masks, with the weight of its level T-1; the others
// are what they are without the setting.
TEST(Absorbing, FullMaskMovesAFractionToTheHighestLevel) {
  const std::int64_t rows = 4000;
  const Batch batch = small_batch(rows);
  Settings settings = settings_of("mgdm");
  const Noised plain = make_objective(settings)->noise(batch, 3).front();
  settings.full_mask = 0.5;
  const Noised noised = make_objective(settings)->noise(batch, 3).front();
  const at::Tensor same = noised.t == plain.t;
  const at::Tensor full = noised.t == kNoiseSteps - 1;
  EXPECT_TRUE((same | full).all().item<bool>());
  const at::Tensor output = batch.frozen.logical_not();
  EXPECT_TRUE(at::equal(noised.counted.masked_select(full.unsqueeze(1) & output),
                        output.masked_select(full.unsqueeze(1) & output)));
  EXPECT_TRUE(((noised.weight == 1) | ~(full.unsqueeze(1) & output)).all().item<bool>());
  // 1/2 + 1/2 * 1/T of the examples; five standard deviations.
  const double expected = 0.5 + 0.5 / kNoiseSteps;
  EXPECT_NEAR(full.to(at::kDouble).mean().item<double>(), expected,
              5 * std::sqrt(expected * (1 - expected) / static_cast<double>(rows)));
}

TEST(Absorbing, FullMaskIsRefusedWhereNothingIsMasked) {
  for (const std::string kind : {"ar", "teacherless", "d3pm_uniform"}) {
    Settings settings = settings_of(kind);
    settings.full_mask = 0.5;
    EXPECT_THROW(make_objective(settings), UsageError) << kind;
  }
  Settings coupled = settings_of("rdm");
  coupled.full_mask = 0.5;
  EXPECT_NO_THROW(make_objective(coupled));
  coupled.coupled = true;
  EXPECT_THROW(make_objective(coupled), UsageError);
}

// At each level t, a share (t + 1) / T of the 8 output positions is masked; levels are equally
// likely.
// Bounds are five standard deviations.
TEST(Absorbing, MaskRatesFollowTheSchedule) {
  const std::int64_t rows = 6000;
  const Batch batch = small_batch(rows);
  Settings settings = settings_of("rdm");
  for (const bool coupled : {false, true}) {
    settings.coupled = coupled;
    for (const Noised& noised : make_objective(settings)->noise(batch, 3))
      for (std::int64_t t = 0; t < kNoiseSteps; ++t) {
        const at::Tensor here = (noised.t == t).unsqueeze(1);
        const double examples = here.sum().item<double>();
        if (!coupled) {
          EXPECT_NEAR(examples, rows / 6.0, 5 * std::sqrt(rows * (1 / 6.0) * (5 / 6.0)));
        }
        const double positions = 8 * examples, p = static_cast<double>(t + 1) / kNoiseSteps;
        const double masked = (noised.counted.to(at::kLong) * here).sum().item<double>();
        EXPECT_NEAR(masked, positions * p, 5 * std::sqrt(positions * p * (1 - p)));
      }
  }
}

TEST(Absorbing, CoupledCopiesAreNested) {
  const Batch batch = small_batch(500);
  Settings settings = settings_of("rdm");
  settings.coupled = true;
  const auto copies = make_objective(settings)->noise(batch, 3);
  ASSERT_EQ(copies.size(), 2u);
  int equal_levels = 0, different_masks = 0;
  for (std::int64_t b = 0; b < 500; ++b) {
    const auto t1 = copies[0].t[b].item<std::int64_t>(), t2 = copies[1].t[b].item<std::int64_t>();
    ASSERT_GE(t1, t2);
    if (t1 == t2) {
      ++equal_levels;
      different_masks += !copies[0].input[b].equal(copies[1].input[b]);
      continue;
    }
    for (std::int64_t n = 0; n < batch.tokens.size(1); ++n)
      if (flag(copies[1].counted, b, n)) {
        ASSERT_TRUE(flag(copies[0].counted, b, n));
      }
  }
  EXPECT_GT(equal_levels, 0);
  EXPECT_GT(different_masks, 0);
}

TEST(Absorbing, ShownTokensAreTrainedAndSomeAreWrong) {
  const std::int64_t rows = 3000;
  const Batch batch = small_batch(rows);
  Settings settings = settings_of("mgdm");
  const Noised plain = make_objective(settings)->noise(batch, 3).front();
  settings.train_shown = true;
  const Noised shown = make_objective(settings)->noise(batch, 3).front();
  EXPECT_TRUE(shown.counted.equal(batch.frozen.logical_not()));
  EXPECT_TRUE(shown.input.equal(plain.input));
  settings.shown_noise = 0.2;
  const Noised noisy = make_objective(settings)->noise(batch, 3).front();
  EXPECT_TRUE(noisy.counted.equal(batch.frozen.logical_not()));
  EXPECT_TRUE((noisy.input == kMask).equal(plain.input == kMask));
  double possible = 0, wrong = 0;
  for (std::int64_t b = 0; b < rows; ++b)
    for (std::int64_t n = 4; n < batch.tokens.size(1); ++n) {
      const std::int64_t token = integer(batch.tokens, b, n), seen = integer(noisy.input, b, n);
      if (seen == kMask) continue;
      if (seen != token) {
        ASSERT_GE(seen, kFirstOrdinary);
        ASSERT_LT(seen, kTestVocabulary);
        wrong += 1;
      }
      // A replacement is the token itself once in 4 for ordinary tokens, never for [EOS], [PAD].
      possible += token >= kFirstOrdinary ? 0.75 : 1;
    }
  EXPECT_NEAR(wrong, 0.2 * possible, 5 * std::sqrt(0.2 * 0.8 * possible));
}

// A coupled pair draws its wrong tokens from one stream: first those of its first copy (a draw per
// position for whether its token is wrong, one for which it becomes), then those of the second.
TEST(Absorbing, EachCoupledCopyHasWrongTokensOfItsOwn) {
  const std::int64_t rows = 20;
  const Batch batch = small_batch(rows, 100, 9);
  const std::int64_t length = batch.tokens.size(1);
  Settings settings = settings_of("rdm");
  settings.coupled = settings.train_shown = true;
  settings.shown_noise = 0.5;
  const auto copies = make_objective(settings)->noise(batch, 3);
  for (std::int64_t b = 0; b < rows; ++b) {
    Stream random(3, Purpose::kNoise, static_cast<std::uint32_t>(100 + b), 9);
    for (const Noised& copy : copies) {
      std::vector<bool> wrong;
      for (std::int64_t n = 0; n < length; ++n) wrong.push_back(random.uniform() < 0.5);
      for (std::int64_t n = 0; n < length; ++n) {
        const auto other = static_cast<std::int64_t>(
            random.uniform() * static_cast<double>(kTestVocabulary - kFirstOrdinary));
        const std::int64_t seen = integer(copy.input, b, n);
        if (seen == kMask) continue;
        const bool replaced = wrong[static_cast<std::size_t>(n)] && n >= 4;
        EXPECT_EQ(seen, replaced ? kFirstOrdinary + other : integer(batch.tokens, b, n));
      }
    }
  }
}

// The expectation of the weighted cross entropy over x_t, summed over t, is the sum of the KL terms
// of the ELBO (paper eq. 4 to 6), here by enumerating all x_t of three positions and all x_{t-1}.
// The constant is 0: p gives [MASK] the same 1 - lambda_t as q, and L_T = 0 as alpha_T = 0.
TEST(Absorbing, ExpectedLossIsTheBound) {
  constexpr int kLevels = 4, kPositions = 3, kVocabulary = 8;
  const PlainDiffusion diffusion(kLevels, kVocabulary, [](int t) {
    const double beta = linear_beta(t, kLevels);
    PlainDiffusion::Matrix q(kVocabulary, std::vector<double>(kVocabulary));
    for (std::size_t i = 0; i < kVocabulary; ++i) {
      q[i][i] += 1 - beta;
      q[i][kMask] += beta;
    }
    return q;
  });
  Settings settings = settings_of("d3pm_absorbing");
  settings.steps = kLevels;
  settings.vocabulary = kVocabulary;
  const auto objective = make_objective(settings);
  Batch batch;
  batch.tokens = at::tensor({6, 7, 3}, at::kLong).view({1, kPositions});
  double loss = 0, bound = 0;
  for (int t = 0; t < kLevels; ++t)
    for (unsigned pattern = 0; pattern < 1u << kPositions; ++pattern) {
      Noised noised;
      noised.t = at::full({1}, t, at::kLong);
      noised.counted = at::full({1, kPositions}, false, at::kBool);
      for (int n = 0; n < kPositions; ++n) noised.counted[0][n].fill_((pattern >> n & 1) == 1);
      noised.input = batch.tokens.masked_fill(noised.counted, kMask);
      noised.weight =
          noised.counted.to(at::kFloat) *
          sequence_weight(objective->settings().sequence_weight, noised.t, kLevels).unsqueeze(1);
      // A network that never says [MASK], and whose answer depends on all of x_t.
      const at::Tensor logits = random_logits(1, kPositions, kVocabulary, pattern);
      logits.select(2, kMask).fill_(-1e4);
      double probability = 1, divergence = 0;
      for (int n = 0; n < kPositions; ++n) {
        const auto x_0 = static_cast<std::size_t>(integer(batch.tokens, 0, n));
        const auto x_t = static_cast<std::size_t>(integer(noised.input, 0, n));
        const auto level = static_cast<std::size_t>(t + 1);
        probability *= diffusion.marginal(level, x_0)[x_t];
        divergence += diffusion.divergence(level, x_t, x_0, probabilities(logits, 0, n));
      }
      loss += probability * objective->loss({{logits}}, batch, noised).sum.item<double>();
      bound += probability * divergence;
    }
  EXPECT_GT(bound, 1);
  EXPECT_NEAR(loss, bound, 1e-7 * bound);  // float32 weights
}

}  // namespace
}  // namespace mgdm::objectives
