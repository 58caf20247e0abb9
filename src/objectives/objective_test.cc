#include "objectives/objective.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "compat/device.h"
#include "compat/test_support.h"
#include "objectives/test_support.h"

namespace mgdm::objectives {
namespace {

Settings reweighted(const std::string& kind) {
  Settings settings;
  settings.kind = kind;
  settings.vocabulary = kTestVocabulary;
  settings.steps = 6;
  settings.beta = 2;
  return settings;
}

std::vector<Settings> every_kind() {
  std::vector<Settings> all;
  for (const char* kind : {"mgdm", "rdm", "d3pm_absorbing", "d3pm_uniform", "ar", "teacherless"})
    all.push_back(reweighted(kind));
  Settings coupled = reweighted("rdm");
  coupled.coupled = true;
  coupled.label_smoothing = 0.1;
  all.push_back(coupled);
  Settings shown = reweighted("mgdm");
  shown.train_shown = true;
  shown.shown_noise = 0.3;
  shown.beta = 1;
  all.push_back(shown);
  return all;
}

TEST(Objective, FrozenPositionsAreLeftAloneAndNotCounted) {
  const Batch batch = small_batch(50);
  for (const Settings& settings : every_kind())
    for (const Noised& noised : make_objective(settings)->noise(batch, 3)) {
      for (std::int64_t b = 0; b < 50; ++b)
        for (std::int64_t n = 0; n < batch.tokens.size(1); ++n) {
          if (flag(batch.frozen, b, n)) {
            ASSERT_EQ(integer(noised.input, b, n), integer(batch.tokens, b, n)) << settings.kind;
            ASSERT_FALSE(flag(noised.counted, b, n)) << settings.kind;
          }
          const auto weight = noised.weight.accessor<float, 2>()[b][n];
          ASSERT_EQ(weight > 0, flag(noised.counted, b, n)) << settings.kind;
        }
      EXPECT_EQ(noised.t.sizes(), batch.items.sizes());
      EXPECT_EQ(noised.input.scalar_type(), at::kLong);
      EXPECT_EQ(noised.weight.scalar_type(), at::kFloat);
    }
}

TEST(Objective, NoiseDoesNotDependOnTheBatchAroundAnItem) {
  const Batch all = small_batch(20, 0, 5), some = small_batch(4, 7, 5);  // items 7..10
  for (const Settings& settings : every_kind()) {
    const auto objective = make_objective(settings);
    const auto whole = objective->noise(all, 3), part = objective->noise(some, 3);
    ASSERT_EQ(whole.size(), part.size());
    for (std::size_t copy = 0; copy < whole.size(); ++copy) {
      EXPECT_TRUE(part[copy].input.equal(whole[copy].input.slice(0, 7, 11))) << settings.kind;
      EXPECT_TRUE(part[copy].counted.equal(whole[copy].counted.slice(0, 7, 11))) << settings.kind;
      EXPECT_TRUE(part[copy].weight.equal(whole[copy].weight.slice(0, 7, 11))) << settings.kind;
      EXPECT_TRUE(part[copy].t.equal(whole[copy].t.slice(0, 7, 11))) << settings.kind;
    }
  }
}

TEST(Objective, GradientsAreRight) {
  const Batch batch = small_batch(2);
  const at::Tensor logits = random_logits(batch);
  for (const Settings& settings : every_kind()) {
    SCOPED_TRACE(settings.kind);
    const auto objective = make_objective(settings);
    for (const Noised& noised : objective->noise(batch, 3))
      expect_gradient(logits, [&](const at::Tensor& variable) {
        return objective->loss({{variable}}, batch, noised).sum;
      });
  }
}

// Noise is equal to the bit; the loss is summed in another order, so up to float32 rounding of a
// few hundred terms.
TEST(Objective, IsTheSameOnEveryDevice) {
  if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
  const c10::Device cuda = compat::device("cuda");
  const Batch here = small_batch(50, 0, 2);
  const Batch there{here.tokens.to(cuda), here.frozen.to(cuda), here.items.to(cuda),
                    here.step.to(cuda)};
  const at::Tensor logits = random_logits(here).to(at::kFloat);
  for (const Settings& settings : every_kind()) {
    const auto objective = make_objective(settings);
    const auto a = objective->noise(here, 3), b = objective->noise(there, 3);
    for (std::size_t copy = 0; copy < a.size(); ++copy) {
      EXPECT_TRUE(a[copy].input.equal(b[copy].input.cpu())) << settings.kind;
      EXPECT_TRUE(a[copy].counted.equal(b[copy].counted.cpu())) << settings.kind;
      const double expected = objective->loss({{logits}}, here, a[copy]).sum.item<double>();
      EXPECT_NEAR(objective->loss({{logits.to(cuda)}}, there, b[copy]).sum.item<double>(), expected,
                  1e-5 * expected)
          << settings.kind;
    }
  }
}

// From hidden states and a head, on every device, in bf16 mixed precision where there is such: by
// the kernel on CUDA. The hidden states are bf16 numbers everywhere; what is left is the rounding
// of their gradients to bf16, and of sums in float.
TEST(Objective, IsTheSameFromHiddenStates) {
  constexpr std::int64_t kWidth = 64, kLoops = 3;
  const Batch here = small_batch(50, 0, 2);
  const auto leaf = [](const at::Tensor& x) { return x.detach().clone().set_requires_grad(true); };
  std::vector<at::Tensor> states;
  for (std::uint32_t r = 0; r < kLoops; ++r)
    states.push_back(random_logits(50, 12, kWidth, r).to(at::kBFloat16).to(at::kDouble));
  const at::Tensor table = (random_logits(1, kTestVocabulary, kWidth, 9)[0] * 0.1).to(at::kFloat);
  for (const c10::Device device : compat::devices())
    for (const Settings& settings : every_kind())
      for (const bool shift : {false, true}) {
        SCOPED_TRACE(testing::Message() << settings.kind << " " << device << " " << shift);
        const auto objective = make_objective(settings);
        const Noised noised = objective->noise(here, 3).front();
        const at::Tensor exact_head = leaf(table.to(at::kDouble));
        const at::Tensor head = leaf(table.to(device));
        const auto type = device.is_cuda() ? at::kBFloat16 : at::kFloat;
        std::vector<at::Tensor> exact, fast;
        nn::Output exact_output, output;
        for (const at::Tensor& x : states) {
          exact.push_back(leaf(x));
          fast.push_back(leaf(x.to(device, type)));
          exact_output.predictions.emplace_back(exact.back(), exact_head, shift);
          output.predictions.emplace_back(fast.back(), head, shift);
        }
        const at::Tensor expected = objective->loss(exact_output, here, noised).sum;
        (expected * 0.37).backward();
        at::Tensor got;
        {
          const compat::Autocast autocast(device, /*enabled=*/true);
          const Batch there{here.tokens.to(device), here.frozen.to(device), here.items.to(device),
                            here.step.to(device)};
          got = objective
                    ->loss(output, there,
                           {noised.input.to(device), noised.counted.to(device),
                            noised.weight.to(device), noised.t.to(device)})
                    .sum;
        }
        (got * 0.37).backward();
        EXPECT_NEAR(got.item<double>(), expected.item<double>(), 1e-5 * expected.item<double>());
        const auto expect_close = [](const at::Tensor& a, const at::Tensor& b, double fraction) {
          const at::Tensor error = (a.to(at::kCPU, at::kDouble) - b).abs();
          EXPECT_LE(error.max().item<double>(), fraction * b.abs().max().item<double>());
        };
        for (std::size_t r = 0; r < states.size(); ++r)
          expect_close(fast[r].grad(), exact[r].grad(), device.is_cuda() ? 0x1p-7 : 1e-5);
        expect_close(head.grad(), exact_head.grad(), 1e-4);
      }
}

TEST(Objective, SumsAndCountsAddUpOverBatches) {
  const Batch all = small_batch(6), first = small_batch(2), rest = small_batch(4, 2);
  const at::Tensor logits = random_logits(all);
  for (const Settings& settings : every_kind()) {
    const auto objective = make_objective(settings);
    const auto of = [&](const Batch& batch, const at::Tensor& part) {
      return objective->loss({{part}}, batch, objective->noise(batch, 3).front());
    };
    const LossSum whole = of(all, logits);
    const LossSum a = of(first, logits.slice(0, 0, 2)), b = of(rest, logits.slice(0, 2));
    EXPECT_NEAR(whole.sum.item<double>(), (a.sum + b.sum).item<double>(), 1e-9) << settings.kind;
    EXPECT_EQ(whole.count.item<double>(), (a.count + b.count).item<double>()) << settings.kind;
  }
}

TEST(Objective, LaterLoopsWeighMoreOrAllTheSameOrOnlyTheLastCounts) {
  const Batch batch = small_batch(3);
  const std::vector<at::Tensor> loops{random_logits(batch, 0), random_logits(batch, 1),
                                      random_logits(batch, 2)};
  Settings settings = reweighted("mgdm");
  const auto linear = make_objective(settings);
  settings.loop_weights = "last";
  const auto last = make_objective(settings);
  settings.loop_weights = "mean";
  const auto mean = make_objective(settings);
  const Noised noised = linear->noise(batch, 3).front();
  const auto alone = [&](const at::Tensor& logits) {
    return linear->loss({{logits}}, batch, noised).sum.item<double>();
  };
  EXPECT_NEAR(linear->loss({{loops.begin(), loops.end()}}, batch, noised).sum.item<double>(),
              (alone(loops[0]) + 2 * alone(loops[1]) + 3 * alone(loops[2])) / 6, 1e-9);
  EXPECT_EQ(last->loss({{loops.begin(), loops.end()}}, batch, noised).sum.item<double>(),
            alone(loops[2]));
  EXPECT_NEAR(mean->loss({{loops.begin(), loops.end()}}, batch, noised).sum.item<double>(),
              (alone(loops[0]) + alone(loops[1]) + alone(loops[2])) / 3, 1e-9);
}

// Cross entropy on output and [EOS], with the focal term where asked for.
TEST(Autoregressive, CountsOutputAndEosOnly) {
  const Batch batch = small_batch(5);
  const at::Tensor logits = random_logits(batch);
  for (const bool reweight : {false, true}) {
    Settings settings = reweighted("ar");
    settings.reweight_tokens = reweight;
    const auto objective = make_objective(settings);
    const Noised noised = objective->noise(batch, 3).front();
    EXPECT_TRUE(noised.input.equal(batch.tokens));
    double sum = 0, count = 0;
    for (std::int64_t b = 0; b < 5; ++b)
      for (std::int64_t n = 4; n < batch.tokens.size(1); ++n) {
        const double ce = plain_cross_entropy(logits, batch.tokens, b, n);
        sum += reweight ? 0.25 * std::pow(1 - std::exp(-ce), 2) * ce : ce;
        count += 1;
        if (integer(batch.tokens, b, n) == kEos) break;
      }
    const LossSum loss = objective->loss({{logits}}, batch, noised);
    EXPECT_NEAR(loss.sum.item<double>(), sum, 1e-9);
    EXPECT_EQ(loss.count.item<double>(), count);
  }
}

TEST(Objective, NeedsEveryColumnUnlessLeftToRight) {
  data::Rows rows(3, 12);
  constexpr std::size_t kLengths[] = {5, 9, 1};
  for (std::size_t row = 0; row < rows.count(); ++row)
    for (std::size_t n = 0; n < kLengths[row]; ++n) rows[row].tokens[n] = data::kEos;
  for (const Settings& settings : every_kind()) {
    const std::size_t expected = settings.kind == "ar" ? 9 : 12;
    EXPECT_EQ(make_objective(settings)->needed_columns(rows), expected) << settings.kind;
  }
  EXPECT_EQ(make_objective(reweighted("ar"))->needed_columns(data::Rows(2, 12)), 1u);  // all [PAD]
}

TEST(Teacherless, ShowsNothingOfTheOutputAndCountsAllOfIt) {
  const Batch batch = small_batch(5);
  const at::Tensor logits = random_logits(batch);
  const auto objective = make_objective(reweighted("teacherless"));
  const Noised noised = objective->noise(batch, 3).front();
  double sum = 0, count = 0;
  for (std::int64_t b = 0; b < 5; ++b)
    for (std::int64_t n = 4; n < batch.tokens.size(1); ++n) {
      EXPECT_EQ(integer(noised.input, b, n), kMask);
      sum += plain_cross_entropy(logits, batch.tokens, b, n);
      count += 1;
    }
  const LossSum loss = objective->loss({{logits}}, batch, noised);
  EXPECT_NEAR(loss.sum.item<double>(), sum, 1e-9);
  EXPECT_EQ(loss.count.item<double>(), count);
}

TEST(ObjectiveSettings, AKindFixesWhatItIsByDefinition) {
  EXPECT_EQ(make_objective(reweighted("d3pm_absorbing"))->settings().sequence_weight, "original");
  EXPECT_EQ(make_objective(reweighted("rdm"))->settings().sequence_weight, "linear");
  EXPECT_FALSE(make_objective(reweighted("rdm"))->settings().reweight_tokens);
  EXPECT_TRUE(make_objective(reweighted("mgdm"))->settings().reweight_tokens);
}

TEST(ObjectiveSettings, ThatDoNotFitTogetherAreRefused) {
  Settings coupled = reweighted("mgdm");
  coupled.coupled = true;
  EXPECT_THROW(make_objective(coupled), UsageError);
  Settings noise = reweighted("mgdm");
  noise.shown_noise = 0.1;
  EXPECT_THROW(make_objective(noise), UsageError);
  Settings shown = reweighted("ar");
  shown.train_shown = true;
  EXPECT_THROW(make_objective(shown), UsageError);
  Settings smooth = reweighted("d3pm_uniform");
  smooth.label_smoothing = 0.1;
  EXPECT_THROW(make_objective(smooth), UsageError);
  Settings empty = reweighted("mgdm");
  empty.vocabulary = 5;
  EXPECT_THROW(make_objective(empty), UsageError);
  Settings unknown = reweighted("mdgm");
  EXPECT_THROW(make_objective(unknown), UsageError);
}

TEST(ObjectiveSettings, AreReadByName) {
  Settings settings;
  config::Fields fields(settings);
  fields.set("kind=rdm");
  fields.set("coupled=true");
  EXPECT_EQ(make_objective(settings)->noise(small_batch(2), 1).size(), 2u);
  EXPECT_THROW(fields.set("kind=mdgm"), UsageError);
  EXPECT_THROW(fields.set("beta=0.5"), UsageError);
}

// An example at the level that training drew for it looks as it does in training.
TEST(Objective, NoiseAtALevelIsTrainingsNoise) {
  const Batch batch = small_batch(40, 100, 9);
  for (const Settings& settings : every_kind()) {
    const auto objective = make_objective(settings);
    const Noised drawn = objective->noise(batch, 3).front();
    const Noised fixed = objective->noise_at(batch, 3, drawn.t);
    EXPECT_TRUE(drawn.input.equal(fixed.input)) << settings.kind;
    EXPECT_TRUE(drawn.counted.equal(fixed.counted)) << settings.kind;
    EXPECT_TRUE(drawn.weight.equal(fixed.weight)) << settings.kind;
    const bool noiseless = settings.kind == "ar" || settings.kind == "teacherless";
    EXPECT_EQ(objective->levels(), noiseless ? 1 : settings.steps);
    const at::Tensor most = at::full({40}, settings.steps - 1, at::kLong);
    EXPECT_EQ(objective->noise_at(batch, 3, most).input.equal(fixed.input), noiseless);
  }
}

}  // namespace
}  // namespace mgdm::objectives
