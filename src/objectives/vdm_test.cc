// VDM's terms against integrals. Two tokens in a plane, and a network that knows what Bayes' rule
// knows: then every expectation is an integral over one normal number, and the bound is tight.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "nn/parameters.h"
#include "nn/vector_reader.h"
#include "objectives/test_support.h"
#include "objectives/vdm_schedule.h"
#include "spec/tensors.h"

namespace mgdm::objectives {
namespace {

constexpr std::int64_t kFirst = kFirstOrdinary, kSecond = kFirstOrdinary + 1;
constexpr double kProbability = 0.7;  // of the first token; the second has the rest
constexpr double kReconstructed = 0.125;

nn::Parameters parameters(std::int64_t size = 2, std::uint64_t seed = 3) {
  spec::ModelSettings settings;
  settings.layers = 1;
  settings.heads = 1;
  settings.width = 4;
  settings.positions = 16;
  settings.vocabulary = kTestVocabulary;
  settings.vectors = size;
  return {spec::tensors_of(settings), seed};
}

std::unique_ptr<Objective> vdm(const nn::Parameters& parameters, double self_condition = 0) {
  Settings settings;
  settings.kind = "vdm";
  settings.vocabulary = kTestVocabulary;
  settings.self_condition = self_condition;
  return make_objective(settings, &parameters);
}

// Rows of one token, all the same, at places spread over the batch.
Batch rows_of(std::int64_t token, std::int64_t rows) {
  return {at::full({rows, 1}, token, at::kLong), at::full({rows, 1}, false, at::kBool),
          at::arange(rows, at::kLong), at::full({}, 5, at::kLong),
          at::arange(rows, at::kFloat) / static_cast<double>(rows)};
}

nn::Prediction never(const nn::Input&) { throw std::logic_error("nobody asked for a guess"); }

// log p(token | z) up to a constant, where nothing but the two tokens can be.
at::Tensor exact_logits(const nn::Input& input, const at::Tensor& rows) {
  at::Tensor prior = at::full({kTestVocabulary}, -40, at::kFloat);
  prior[kFirst] = std::log(kProbability);
  prior[kSecond] = std::log(1 - kProbability);
  return nn::evidence(input.vectors, input.noise_level, rows) + prior;
}

// E f(n) over a standard normal n, by the trapezoidal rule, which is exact to rounding for smooth
// f.
template <class Function>
double normal_mean(Function&& f) {
  constexpr double kFrom = -9, kStep = 0.05;
  double sum = 0;
  for (int i = 0; i <= 360; ++i) {
    const double n = kFrom + kStep * i;
    sum += kStep * std::exp(-n * n / 2) / std::sqrt(2 * std::numbers::pi) * f(n);
  }
  return sum;
}

// The two tokens on the line through their vectors, from where the other one is.
struct Plane {
  double distance = 0;  // between the vectors
  double gamma0 = -3, gamma1 = 6;

  // The logarithm of how much likelier the right token is at level gamma, after noise n along the
  // line.
  double odds(bool first, double gamma, double n) const {
    const double alpha = std::sqrt(1 / (1 + std::exp(gamma)));
    const double sigma = std::sqrt(1 / (1 + std::exp(-gamma)));
    return std::log(kProbability / (1 - kProbability)) * (first ? 1 : -1) +
           alpha / (sigma * sigma) * distance * (alpha * distance / 2 + sigma * n);
  }
  double reconstruction(bool first) const {
    return normal_mean([&](double n) { return std::log1p(std::exp(-odds(first, gamma0, n))); });
  }
  // The integral of 1/2 exp(-gamma) |x - x_hat|^2 over gamma, by the same rule.
  double diffusion(bool first) const {
    constexpr int kSteps = 300;
    const double step = (gamma1 - gamma0) / kSteps;
    double sum = 0;
    for (int i = 0; i <= kSteps; ++i) {
      const double gamma = gamma0 + step * i;
      const double error = normal_mean([&](double n) {
        const double p = 1 / (1 + std::exp(odds(first, gamma, n)));  // of the wrong one
        return p * p * distance * distance;
      });
      sum += (i == 0 || i == kSteps ? 0.5 : 1) * step * 0.5 * std::exp(-gamma) * error;
    }
    return sum;
  }
};

Plane plane_of(const nn::Parameters& all) {
  const at::Tensor rows = nn::unit_rows(all.at("transformer.vdm.tokens"));
  return {.distance = (rows[kFirst] - rows[kSecond]).norm().item<double>()};
}

// KL[N(alpha x, sigma^2) || N(0, 1)] over each number of x, by its definition.
double prior_by_integral(const at::Tensor& x, double gamma) {
  const double alpha = std::sqrt(1 / (1 + std::exp(gamma)));
  const double sigma = std::sqrt(1 / (1 + std::exp(-gamma)));
  double sum = 0;
  for (std::int64_t d = 0; d < x.size(0); ++d) {
    const double mean = alpha * x[d].item<double>();
    sum += normal_mean([&](double n) {
      const double z = mean + sigma * n;
      return -n * n / 2 - std::log(sigma) + z * z / 2;
    });
  }
  return sum;
}

TEST(VdmTerms, PriorIsItsIntegral) {
  for (const std::int64_t size : {2, 5}) {
    const nn::Parameters all = parameters(size);
    const at::Tensor rows = nn::unit_rows(all.at("transformer.vdm.tokens"));
    for (const double gamma : {-2.0, 0.5, 6.0}) {
      const double term = prior_divergence(at::full({1}, gamma, at::kDouble), size).item<double>();
      // Rows are of length 1 up to the rounding of floats.
      EXPECT_NEAR(term, prior_by_integral(rows[kFirst].to(at::kDouble), gamma), 1e-6) << gamma;
    }
  }
}

struct Mean {
  double value = 0, error = 0;  // and its standard error
};

Mean mean_of(const at::Tensor& values) {
  const auto count = static_cast<double>(values.numel());
  return {values.mean().item<double>(), values.std().item<double>() / std::sqrt(count)};
}

// What the objective draws and computes, over many rows, against the integrals: within 5 standard
// errors, which are small beside the numbers themselves.
TEST(VdmTerms, ReconstructionAndDiffusionAreTheirIntegrals) {
  constexpr std::int64_t kRows = 40000;
  const nn::Parameters all = parameters();
  const auto objective = vdm(all);
  const at::NoGradGuard no_grad;
  {
    at::Tensor density = all.at("transformer.vdm.gamma.density");  // any density will do
    density.copy_(at::linspace(1, -1, density.size(0)));
  }
  const at::Tensor rows = nn::unit_rows(all.at("transformer.vdm.tokens"));
  const Plane plane = plane_of(all);
  const double prior = prior_by_integral(rows[kFirst], plane.gamma1);
  for (const bool first : {true, false}) {
    const Batch batch = rows_of(first ? kFirst : kSecond, kRows);
    const Noised noised = objective->noise(batch, 7).front();
    const at::Tensor logits = exact_logits(objective->shown(batch, noised, never), rows);
    const at::Tensor loss = objective->token_loss(logits, batch, noised).squeeze(1) - prior;
    const at::Tensor at_zero = noised.t == 0;
    EXPECT_NEAR(at_zero.sum().item<double>(), kReconstructed * kRows, 1.5);
    const Mean reconstruction = mean_of(loss.masked_select(at_zero) * kReconstructed);
    const Mean diffusion = mean_of(loss.masked_select(~at_zero) * (1 - kReconstructed));
    EXPECT_NEAR(reconstruction.value, plane.reconstruction(first), 5 * reconstruction.error + 1e-5);
    EXPECT_NEAR(diffusion.value, plane.diffusion(first), 5 * diffusion.error);
    EXPECT_LT(diffusion.error, 0.04 * diffusion.value);
    // All of it together is the mean of what the objective says.
    const LossSum sum = objective->loss({{logits}}, batch, noised);
    EXPECT_EQ(sum.count.item<double>(), kRows);
    EXPECT_NEAR(sum.sum.item<double>() / kRows,
                prior + plane.reconstruction(first) + plane.diffusion(first),
                5 * (reconstruction.error + diffusion.error) + 1e-4);
  }
}

// With a network that knows all there is to know, the bound is the entropy of the tokens, up to the
// divergence of q(z_1) from the prior, which is below that of q(z_1 | x): 0.0013 here.
TEST(VdmTerms, BoundIsTightForTheExactPosterior) {
  const nn::Parameters all = parameters();
  const Plane plane = plane_of(all);
  const double prior = prior_divergence(at::full({1}, plane.gamma1, at::kDouble), 2).item<double>();
  double bound = 0, entropy = 0;
  for (const bool first : {true, false}) {
    const double p = first ? kProbability : 1 - kProbability;
    bound += p * (prior + plane.reconstruction(first) + plane.diffusion(first));
    entropy -= p * std::log(p);
  }
  EXPECT_GT(bound, entropy - 1e-4);
  EXPECT_LT(bound, entropy + prior + 1e-4);
  EXPECT_LT(prior, 0.0014);
}

TEST(VdmSchedule, RisesFromEndToEndByItsSlope) {
  const nn::Parameters all = parameters();
  const at::NoGradGuard no_grad;
  at::Tensor density = all.at("transformer.vdm.gamma.density");
  density.copy_(at::linspace(-2, 2, density.size(0)).sin() * 2);
  const NoiseSchedule schedule(all);
  const at::Tensor t = at::linspace(0, 1, 20001);
  const NoiseLevel level = schedule.at(t);
  EXPECT_NEAR(level.gamma[0].item<double>(), -3, 1e-6);
  EXPECT_NEAR(level.gamma[-1].item<double>(), 6, 1e-5);
  EXPECT_NEAR(schedule.last().item<double>(), 6, 1e-5);
  const at::Tensor rise = level.gamma.diff();
  EXPECT_GT(rise.min().item<double>(), 0);
  // The slope is constant within a bin; of the steps only the 31 that cross a border are between.
  const at::Tensor off = (rise / level.slope.slice(0, 0, -1) * 20000 - 1).abs() > 0.02;
  EXPECT_LE(off.sum().item<std::int64_t>(), 31);
  // p is a density over the range: slope p = range.
  EXPECT_LT((level.slope * level.log_density.exp() - 9).abs().max().item<double>(), 1e-4);
}

// The ends have the gradient of what is computed: central differences with the same draws.
TEST(VdmSchedule, EndsHaveTheirGradient) {
  constexpr std::int64_t kRows = 2000;
  const nn::Parameters all = parameters();
  const auto objective = vdm(all);
  const Batch batch = rows_of(kFirst, kRows);
  const auto loss = [&] {
    const Noised noised = objective->noise(batch, 7).front();
    const at::Tensor rows = nn::unit_rows(all.at("transformer.vdm.tokens"));
    const at::Tensor logits = exact_logits(objective->shown(batch, noised, never), rows);
    return objective->loss({{logits}}, batch, noised).sum / static_cast<double>(kRows);
  };
  loss().backward();
  for (const char* name : {"transformer.vdm.gamma.first", "transformer.vdm.gamma.log_range"}) {
    const at::Tensor end = all.at(name);
    ASSERT_TRUE(end.grad().defined()) << name;
    const auto moved = [&](double by) {
      const at::NoGradGuard no_grad;
      at::Tensor value = end;
      value.add_(by);
      const double result = loss().item<double>();
      value.sub_(by);
      return result;
    };
    constexpr double kH = 0.01;
    const double expected = (moved(kH) - moved(-kH)) / (2 * kH);
    EXPECT_NEAR(end.grad().item<double>(), expected, 2e-3 * (1 + std::abs(expected))) << name;
  }
}

// Noise without end: the signal would be 0, and its root have no gradient.
TEST(VdmSchedule, RangeEndsWhereNothingIsLeftToGain) {
  const nn::Parameters all = parameters();
  at::Tensor log_range = all.at("transformer.vdm.gamma.log_range");
  {
    const at::NoGradGuard no_grad;
    log_range.fill_(6);
  }
  const auto objective = vdm(all);
  const Batch batch = rows_of(kFirst, 200);
  const Noised noised = objective->noise(batch, 7).front();
  const at::Tensor rows = nn::unit_rows(all.at("transformer.vdm.tokens"));
  const at::Tensor logits = exact_logits(objective->shown(batch, noised, never), rows);
  objective->loss({{logits}}, batch, noised).sum.backward();
  EXPECT_NEAR(NoiseSchedule(all).last().item<double>(), -3 + 18, 1e-4);
  EXPECT_TRUE(std::isfinite(all.at("transformer.vdm.gamma.first").grad().item<double>()));
  EXPECT_EQ(log_range.grad().item<double>(), 0);  // Adam comes to rest
}

// Following the squares of the loss, the density makes the diffusion term scatter less, and leaves
// its mean alone.
TEST(VdmSchedule, DensityFollowsTheLoss) {
  const nn::Parameters all = parameters();
  const auto objective = vdm(all);
  at::Tensor density = all.at("transformer.vdm.gamma.density");
  const auto term = [&](std::int64_t step, std::int64_t count) {
    Batch batch = rows_of(kFirst, count);
    batch.step = at::full({}, step, at::kLong);
    const Noised noised = objective->noise(batch, 7).front();
    const at::Tensor rows = nn::unit_rows(all.at("transformer.vdm.tokens"));
    const at::Tensor logits = exact_logits(objective->shown(batch, noised, never), rows);
    const at::Tensor loss = objective->token_loss(logits, batch, noised);
    return loss.masked_select((noised.t > 0).unsqueeze(1));
  };
  const Mean before = mean_of(term(0, 40000).detach());
  for (std::int64_t step = 1; step <= 100; ++step) {
    density.mutable_grad() = at::Tensor();
    term(step, 1000).mean().backward();
    const at::NoGradGuard no_grad;
    density.sub_(density.grad(), 15);
  }
  const Mean after = mean_of(term(0, 40000).detach());
  EXPECT_NEAR(after.value, before.value, 5 * (before.error + after.error));
  EXPECT_LT(after.error, 0.75 * before.error);
}

TEST(Vdm, FrozenPositionsAreGivenAndTheOthersHidden) {
  const nn::Parameters all = parameters(4);
  const auto objective = vdm(all);
  const Batch batch = small_batch(20);
  const Noised noised = objective->noise(batch, 3).front();
  const nn::Input input = objective->shown(batch, noised, never);
  EXPECT_TRUE(noised.counted.equal(batch.frozen.logical_not()));
  EXPECT_TRUE(
      input.tokens.masked_select(batch.frozen).equal(batch.tokens.masked_select(batch.frozen)));
  EXPECT_TRUE((input.tokens.masked_select(noised.counted) == kMask).all().item<bool>());
  EXPECT_EQ(input.vectors.sizes(), (std::vector<std::int64_t>{20, 12, 4}));
  EXPECT_EQ(input.noise_level.size(0), 20);
  EXPECT_FALSE(input.guess.defined());
  const LossSum loss = objective->loss({{random_logits(batch)}}, batch, noised);
  EXPECT_EQ(loss.count.item<double>(), 20 * 8);
}

TEST(Vdm, NoiseDoesNotDependOnTheBatchAroundAnItem) {
  const nn::Parameters all = parameters(3);
  const auto objective = vdm(all, 0.5);
  const Noised whole = objective->noise(small_batch(20, 0, 5), 3).front();
  const Noised part = objective->noise(small_batch(4, 7, 5), 3).front();
  EXPECT_TRUE(part.time.equal(whole.time.slice(0, 7, 11)));
  EXPECT_TRUE(part.t.equal(whole.t.slice(0, 7, 11)));
  EXPECT_TRUE(part.eps.equal(whole.eps.slice(0, 7, 11)));
  EXPECT_TRUE(part.guessed.equal(whole.guessed.slice(0, 7, 11)));
}

// Two processes with half of the batch each draw what one does with all of it, and the times of a
// batch lie one in each of as many equal parts.
TEST(Vdm, TimesAreSpreadEvenlyOverTheWholeBatch) {
  const nn::Parameters all = parameters();
  const auto objective = vdm(all);
  const Batch batch = rows_of(kFirst, 64);
  const Noised noised = objective->noise(batch, 3).front();
  Batch half = batch;
  for (at::Tensor* each : {&half.tokens, &half.frozen, &half.items, &half.place})
    *each = each->slice(0, 32);
  EXPECT_TRUE(objective->noise(half, 3).front().time.equal(noised.time.slice(0, 32)));
  const at::Tensor times = std::get<0>(noised.time.masked_select(noised.t > 0).sort());
  ASSERT_EQ(times.size(0), 56);
  EXPECT_LT((times.diff() - 1.0 / 56).abs().max().item<double>(), 1e-5);
}

TEST(Vdm, ShowsGuessesToSomeExamples) {
  const nn::Parameters all = parameters(3);
  const auto objective = vdm(all, 0.25);
  const Batch batch = small_batch(400);
  const Noised noised = objective->noise(batch, 3).front();
  // Five standard deviations of a binomial: sqrt(400 0.25 0.75) = 8.7.
  EXPECT_NEAR(noised.guessed.sum().item<double>(), 100, 44);
  const at::Tensor logits = random_logits(batch).to(at::kFloat);
  int asked = 0;
  const nn::Input input = objective->shown(batch, noised, [&](const nn::Input& shown) {
    ++asked;
    EXPECT_FALSE(shown.guess.defined());
    return nn::Prediction(logits);
  });
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(input.guess.requires_grad());
  const at::Tensor rows = nn::unit_rows(all.at("transformer.vdm.tokens")).detach();
  const at::Tensor expected = nn::expected_vectors(logits, rows);
  for (std::int64_t b = 0; b < 400; ++b) {
    const bool guessed = noised.guessed[b].item<bool>();
    ASSERT_TRUE(input.guess[b].equal(guessed ? expected[b] : at::zeros_like(expected[b]))) << b;
  }
}

TEST(Vdm, GradientsAreRight) {
  const nn::Parameters all = parameters(3);
  const auto objective = vdm(all);
  const Batch batch = small_batch(3);  // the first of them reconstructed
  const Noised noised = objective->noise_at(batch, 3, at::tensor({0, 7, 19}, at::kLong));
  expect_gradient(random_logits(batch), [&](const at::Tensor& variable) {
    return objective->loss({{variable}}, batch, noised).sum;
  });
}

TEST(Vdm, LevelsGoFromTheReconstructionToPureNoise) {
  const nn::Parameters all = parameters(3);
  const auto objective = vdm(all);
  EXPECT_EQ(objective->levels(), 20);
  const Batch batch = small_batch(3);
  const Noised first = objective->noise_at(batch, 3, at::tensor({0, 10, 19}, at::kLong));
  EXPECT_EQ(first.time[0].item<float>(), 0);
  EXPECT_EQ(first.time[2].item<float>(), 1);
  const at::Tensor gamma = objective->shown(batch, first, never).noise_level;
  EXPECT_NEAR(gamma[0].item<double>(), -3, 1e-5);
  EXPECT_NEAR(gamma[2].item<double>(), 6, 1e-5);
}

}  // namespace
}  // namespace mgdm::objectives
