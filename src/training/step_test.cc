#include "training/step.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "compat/deterministic.h"
#include "compat/device.h"
#include "compat/test_support.h"
#include "nn/batch_tensors.h"
#include "nn/tensor_bytes.h"
#include "training/test_support.h"

namespace mgdm::training {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kRows = 8;

// cuBLAS reads it once, perhaps in another test.
[[maybe_unused]] const bool kPrepared = (compat::prepare_deterministic_cuda(), true);

// Says the same of every position, so that what a step makes of it can be written down; and tells
// what it was asked.
class Table : public nn::Model {
 public:
  explicit Table(const nn::ModelSettings& settings) : Model(settings, nn::Parameters(1)) {
    table_ = parameters_.add("table", {settings.vocabulary}, {0.5});
  }

  nn::Output forward(const nn::Input& input) override {
    asked.push_back(input);
    return {{table_.expand({input.tokens.size(0), input.tokens.size(1), table_.size(0)})}};
  }

  at::Tensor table() const { return table_; }

  std::vector<nn::Input> asked;

 private:
  at::Tensor table_;
};

// An objective that has all columns computed, whatever it needs.
class AllColumns : public objectives::Objective {
 public:
  explicit AllColumns(std::unique_ptr<objectives::Objective> inner)
      : Objective(inner->settings()), inner_(std::move(inner)) {}

  objectives::Noised noise_at(const objectives::Batch& batch, std::uint64_t seed,
                              const at::Tensor& t) const override {
    return inner_->noise_at(batch, seed, t);
  }
  std::int64_t levels() const override { return inner_->levels(); }

 private:
  std::unique_ptr<objectives::Objective> inner_;
};

class Steps : public testing::Test {
 protected:
  nn::ModelSettings model_settings(double dropout) const {
    nn::ModelSettings settings = small_model(data_);
    settings.dropout = dropout;
    return settings;
  }

  // A state of a model and steps on it.
  struct Run {
    Run(Steps& test, nn::Model& model, double ema = 0)
        : state(model, test.optimizer_, ema),
          step(state, *test.objective_, test.group_, test.settings_, test.clip_, kSeed, {0, kRows},
               test.data_.train.length()),
          batches(test.data_.train, static_cast<std::size_t>(kRows), kSeed) {}

    data::Batch next(double factor = 1, Wishes wishes = {}) {
      const data::Batch batch = batches.next();
      step.run(batch, factor, wishes);
      return batch;
    }

    TrainingState state;
    TrainingStep step;
    data::Batches batches;
  };

  static objectives::Batch tensors(const data::Batch& batch) {
    return {nn::tensors_of(batch.rows, c10::kCPU),
            at::full({}, static_cast<std::int64_t>(batch.step), at::kLong)};
  }

  static std::vector<at::Tensor> gradients(const nn::Model& model) {
    std::vector<at::Tensor> all;
    for (const nn::Parameter& parameter : model.parameters().all())
      all.push_back(nn::host_copy(parameter.value.grad()));
    return all;
  }

  static void expect_equal_weights(const nn::Model& a, const nn::Model& b, bool equal = true) {
    bool same = true;
    for (std::size_t i = 0; i < a.parameters().all().size(); ++i)
      same &= at::equal(a.parameters().all()[i].value, b.parameters().all()[i].value);
    EXPECT_EQ(same, equal);
  }

  data::PreparedData data_ = small_data();
  std::unique_ptr<objectives::Objective> objective_ = small_objective(data_);
  distributed::ProcessGroup group_{c10::Device(c10::kCPU)};
  OptimizerSettings optimizer_;
  TrainingSettings settings_;
  double clip_ = 0;
};

// The objective's sum over its count, with the same noise, in double; RDM has two noised copies.
TEST_F(Steps, FollowTheGradientOfTheObjective) {
  for (const std::string kind : {"mgdm", "rdm"}) {
    objectives::Settings objective;
    objective.kind = kind;
    objective.vocabulary = data_.vocabulary.size();
    objective.coupled = kind == "rdm";
    objective_ = objectives::make_objective(objective);
    Table model(model_settings(0));
    Run run(*this, model);
    for (int step = 0; step < 3; ++step) {
      const at::Tensor table = nn::host_copy(model.table()).to(at::kDouble).set_requires_grad(true);
      const objectives::Batch batch = tensors(run.next());
      const auto copies = objective_->noise(batch, kSeed);
      EXPECT_EQ(copies.size(), objective.coupled ? 2u : 1u);
      at::Tensor sum = at::zeros({}, at::kDouble);
      double count = 0;
      for (const objectives::Noised& noised : copies) {
        const auto part = objective_->loss(
            {{table.expand({kRows, batch.tokens.size(1), table.size(0)})}}, batch, noised);
        sum = sum + part.sum;
        count += part.count.item<double>();
      }
      ASSERT_GT(count, 10);
      const at::Tensor loss = sum / count;
      loss.backward();
      // Some hundred terms below 10 are added up in float.
      EXPECT_NEAR(run.step.loss(), loss.item<double>(), 1e-5);
      EXPECT_NEAR(run.step.gradient_norm(), table.grad().norm().item<double>(), 1e-5);
      EXPECT_LT((model.table().grad() - table.grad()).abs().max().item<double>(), 1e-5);
      EXPECT_TRUE(model.asked.back().training);
    }
  }
}

TEST_F(Steps, OfSeveralPartsEqualThatOfOne) {
  const auto run = [&](std::int64_t accumulate) {
    settings_.accumulate = accumulate;
    const auto model = nn::make_model(model_settings(/*dropout=*/0), 2);
    Run one(*this, *model);
    one.next();
    return std::pair(one.step.loss(), gradients(*model));
  };
  const auto [loss, whole] = run(1);
  for (const std::int64_t parts : {2, 3, 8}) {  // 8 rows: 4 4, 3 3 2, one by one
    const auto [same_loss, same] = run(parts);
    // These sums have the same terms in another order: about a hundred, each with a rounding of
    // 6e-8 of the largest.
    EXPECT_NEAR(same_loss, loss, 1e-5) << parts;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const double largest = whole[i].abs().max().item<double>();
      EXPECT_GT(largest, 0);
      EXPECT_LT((whole[i] - same[i]).abs().max().item<double>(), 1e-5 * largest) << parts;
    }
  }
}

TEST_F(Steps, WorkThroughEveryRowOnce) {
  settings_.accumulate = 3;
  Table model(model_settings(0));
  Run run(*this, model);
  const objectives::Batch batch = tensors(run.next());
  std::vector<at::Tensor> seen;
  for (const nn::Input& input : model.asked) seen.push_back(input.frozen);
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_TRUE(at::equal(at::cat(seen), batch.frozen));
}

TEST_F(Steps, ApplyALoopedModelAsOftenAsDrawn) {
  nn::ModelSettings looped = model_settings(0);
  looped.loops = 4;
  for (const std::int64_t fewest : {0, 2}) {
    settings_.fewest_loops = fewest;
    Table model(looped);
    Run run(*this, model);
    for (std::uint64_t step = 0; step < 20; ++step) {
      run.next();
      EXPECT_EQ(model.asked.back().loops, loops_of_step(fewest, 4, kSeed, step));
    }
  }
}

// All rounds but the last go without a gradient, each from where the one before it stopped.
TEST_F(Steps, RunTheirLoopsForAsManyRoundsAsDrawn) {
  settings_.rounds = 3;
  std::map<std::size_t, int> counts;
  Table model(model_settings(0));
  Run run(*this, model);
  for (std::uint64_t step = 0; step < 20; ++step) {
    model.asked.clear();
    run.next();
    ASSERT_EQ(model.asked.size(), static_cast<std::size_t>(rounds_of_step(settings_, kSeed, step)));
    for (std::size_t round = 0; round < model.asked.size(); ++round)
      EXPECT_EQ(model.asked[round].training, round + 1 == model.asked.size());
    ++counts[model.asked.size()];
  }
  EXPECT_EQ(counts.size(), 3u);
}

TEST(Rounds, AreLateInAShareOfTheSteps) {
  TrainingSettings settings;
  settings.rounds = 2;
  settings.late_share = 0.25;
  settings.late_rounds = 63;
  TrainingSettings without = settings;
  without.late_share = 0;
  std::map<std::int64_t, int> counts;
  for (std::uint64_t step = 0; step < 4000; ++step) {
    const std::int64_t rounds = rounds_of_step(settings, 5, step);
    if (rounds <= 2) {
      EXPECT_EQ(rounds, rounds_of_step(without, 5, step));
    }
    ++counts[rounds];
  }
  int late = 0;
  for (const std::int64_t rounds : {3, 5, 9, 17, 33}) {
    EXPECT_NEAR(counts[rounds], 200, 60) << rounds;  // standard deviation 14
    late += counts[rounds];
  }
  EXPECT_NEAR(late, 1000, 110);  // standard deviation 27
  EXPECT_EQ(counts.size(), 7u);
}

// The gradient of a step of two rounds, computed by hand.
TEST_F(Steps, LearnFromTheLastRoundAlone) {
  nn::ModelSettings looped = small_model(data_);
  looped.architecture = "looped";
  looped.loop_norm = true;
  looped.shift = false;
  looped.loops = 2;
  settings_.rounds = 2;
  const auto model = nn::make_model(looped, 2);
  const auto twin = nn::make_model(looped, 2);
  Run run(*this, *model);
  data::Batch batch = run.next(/*factor=*/0);  // the weights stay
  while (rounds_of_step(settings_, kSeed, batch.step) != 2) batch = run.next(/*factor=*/0);

  const objectives::Batch rows = tensors(batch);
  const objectives::Noised noised = objective_->noise(rows, kSeed).front();
  nn::Input input = objective_->shown(rows, noised, {});
  input.earlier = twin->forward(input).last().hidden().detach();
  input.training = true;
  const objectives::LossSum loss = objective_->loss(twin->forward(input), rows, noised);
  (loss.sum / loss.count).backward();
  const std::vector<at::Tensor> expected = gradients(*twin), found = gradients(*model);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double largest = expected[i].abs().max().item<double>();
    EXPECT_LE((found[i] - expected[i]).abs().max().item<double>(), 1e-5 * largest) << i;
  }
}

TEST(Loops, AreDrawnEvenlyFromTheirRange) {
  constexpr std::uint64_t kSteps = 3000;
  std::map<std::int64_t, int> counts;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    EXPECT_EQ(loops_of_step(0, 7, kSeed, step), 7);
    EXPECT_EQ(loops_of_step(7, 7, kSeed, step), 7);
    ++counts[loops_of_step(3, 7, kSeed, step)];
  }
  ASSERT_EQ(counts.size(), 5u);
  EXPECT_EQ(counts.begin()->first, 3);
  EXPECT_EQ(counts.rbegin()->first, 7);
  // Five standard deviations: sqrt(3000 * 0.2 * 0.8) = 22.
  for (const auto& [loops, count] : counts) EXPECT_NEAR(count, 600, 110) << loops;
}

TEST_F(Steps, CarryTheWishes) {
  Table model(model_settings(0));
  Run run(*this, model);
  for (const Wishes asked : {Wishes{}, Wishes{true, false}, Wishes{false, true}, Wishes{}}) {
    run.next(1, asked);
    EXPECT_EQ(run.step.wishes().stop, asked.stop);
    EXPECT_EQ(run.step.wishes().end, asked.end);
  }
}

TEST_F(Steps, DropTheSameInTheSameStep) {
  settings_.accumulate = 2;
  const auto one = nn::make_model(model_settings(0.5), 2),
             same = nn::make_model(model_settings(0.5), 2),
             whole = nn::make_model(model_settings(0), 2);
  Run run_one(*this, *one), run_same(*this, *same), run_whole(*this, *whole);
  for (int step = 0; step < 3; ++step) {
    run_one.next();
    run_whole.next();  // draws nothing that the others would miss
    run_same.next();
    EXPECT_EQ(run_one.step.loss(), run_same.step.loss());
    EXPECT_NE(run_one.step.loss(), run_whole.step.loss());
  }
  expect_equal_weights(*one, *same);
}

TEST_F(Steps, ClipTheGradientAndTellItsNorm) {
  const auto free = nn::make_model(model_settings(0), 2),
             clipped = nn::make_model(model_settings(0), 2);
  Run run_free(*this, *free);
  run_free.next();
  const double norm = run_free.step.gradient_norm();
  ASSERT_GT(norm, 0.01);
  clip_ = norm / 4;
  Run run_clipped(*this, *clipped);
  run_clipped.next();
  EXPECT_NEAR(run_clipped.step.gradient_norm(), norm, 1e-6 * norm);
  const auto before = gradients(*free), after = gradients(*clipped);
  // A quarter, but for the 1e-6 that clipping adds to the norm.
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_TRUE(at::allclose(after[i], before[i] / 4, /*rtol=*/1e-4, /*atol=*/1e-8));
}

TEST_F(Steps, MoveTheWeightsByTheFactorAndTheAveragesAfterThem) {
  Table model(model_settings(0));
  Run run(*this, model, /*ema=*/0.9);
  const at::Tensor start = nn::host_copy(model.table());
  run.next(/*factor=*/0);
  EXPECT_TRUE(at::equal(model.table(), start));
  run.next(/*factor=*/0.5);
  const at::Tensor now = nn::host_copy(model.table());
  EXPECT_FALSE(at::equal(now, start));
  // AdamW moves no weight by much more than the learning rate.
  EXPECT_LT((now - start).abs().max().item<double>(), 1.5 * 0.5 * optimizer_.lr);
  const at::Tensor average = start + 0.1 * (now - start);
  EXPECT_TRUE(at::allclose(run.state.ema->averages().front(), average, 1e-6, 1e-7));
}

// Left to right what stands after the longest row is not computed; loss and gradients are those of
// whole rows, up to the order of additions (CPU) and what bf16 keeps of them (CUDA). Every
// sum there is rounded by 2^-9 of itself, in other places where another kernel was the faster one
// for the shape, and where gradients cancel that is more of what is left of them.
TEST_F(Steps, LeftToRightComputeTheColumnsThatCount) {
  constexpr std::int64_t kColumns = 60;
  data_ = small_data(kColumns);
  objectives::Settings minimised;
  minimised.kind = "ar";
  for (const c10::Device device : compat::devices())
    for (const std::string architecture : {"gpt2", "looped"}) {
      nn::ModelSettings network = model_settings(/*dropout=*/0);
      network.architecture = architecture;
      network.width = 128;  // wide enough for the CUDA kernels
      network.heads = 4;
      network.loops = 2;
      network.causal = network.shift = true;
      const auto run = [&](bool all) {
        objective_ = small_objective(data_, minimised);
        if (all) objective_ = std::make_unique<AllColumns>(std::move(objective_));
        const auto model = nn::make_model(network, 2);
        for (const nn::Parameter& parameter : model->parameters().all())  // some would start at 0
          parameter.value.detach().copy_(
              at::arange(parameter.value.numel()).sin().mul(0.1).view_as(parameter.value));
        model->to(device);
        Run one(*this, *model);
        const std::int64_t length = one.step.computed_length(one.next().rows);
        EXPECT_EQ(length == kColumns, all) << length;
        return std::pair(one.step.loss(), gradients(*model));
      };
      const auto [loss, whole] = run(true);
      const auto [same_loss, same] = run(false);
      const double tolerance = device.is_cpu() ? 1e-5 : 0x1p-5;
      EXPECT_NEAR(same_loss, loss, (device.is_cpu() ? 1e-5 : 0x1p-7) * loss)
          << architecture << " on " << device;
      const auto largest = [](const at::Tensor& tensor) {
        return tensor.abs().max().item<double>();
      };
      // Gradients that nearly cancel in one tensor are rounded as those that they are made of.
      double of_all = 0;
      for (const at::Tensor& gradient : whole) of_all = std::max(of_all, largest(gradient));
      for (std::size_t i = 0; i < whole.size(); ++i) {
        EXPECT_GT(largest(whole[i]), 0);
        EXPECT_LT(largest(whole[i] - same[i]),
                  tolerance * std::max(largest(whole[i]), 1e-3 * of_all))
            << architecture << " on " << device << ", tensor " << i;
      }
    }
}

// Each length has a graph of its own; all change the same weights.
TEST_F(Steps, LeftToRightReplayedAtSeveralLengthsAreTheSteps) {
  settings_.deterministic = true;
  data_ = small_data(/*length=*/128);
  objectives::Settings minimised;
  minimised.kind = "ar";
  objective_ = small_objective(data_, minimised);
  for (const c10::Device device : compat::devices()) {
    nn::ModelSettings network = model_settings(/*dropout=*/0.1);
    network.width = 128;  // wide enough for the CUDA kernels
    network.heads = 4;
    network.causal = true;
    const auto losses_of = [&](bool graph) {
      settings_.cuda_graph = graph;
      const auto model = nn::make_model(network, 2);
      model->to(device);
      Run one(*this, *model);
      std::vector<double> losses;
      std::set<std::int64_t> lengths;
      for (int step = 0; step < 24; ++step) {  // each length often enough to be replayed
        data::Batch batch = one.batches.next();
        // A longer row now and then, as if its answer went on.
        if (step % 3 == 0) batch.rows[0].tokens[70] = data::kEos;
        lengths.insert(one.step.computed_length(batch.rows));
        one.step.run(batch, 1, {});
        losses.push_back(one.step.loss());
      }
      EXPECT_GE(lengths.size(), 2u);
      EXPECT_LT(*lengths.rbegin(), 128);
      return losses;
    };
    const std::vector<double> losses = losses_of(false);
    EXPECT_EQ(losses_of(true), losses) << device;
    EXPECT_LT(losses.back(), losses.front());
  }
}

TEST_F(Steps, OfDiffusionComputeEveryColumn) {
  data_ = small_data(60);
  Table model(model_settings(0));
  Run run(*this, model);
  EXPECT_EQ(run.step.computed_length(run.next().rows), 60);
  EXPECT_EQ(model.asked.back().tokens.size(1), 60);
}

TEST(Lengths, AreRoundedUpToAtMostEight) {
  for (const std::int64_t length : {1, 8, 9, 60, 64, 65, 164, 325, 512, 4096}) {
    std::set<std::int64_t> seen;
    for (std::int64_t needed = 1; needed <= length; ++needed) {
      const std::int64_t rounded = rounded_length(needed, length);
      EXPECT_GE(rounded, needed);
      EXPECT_LE(rounded, length);
      EXPECT_LE(rounded - needed, length / 8 + 8) << needed << " of " << length;
      seen.insert(rounded);
    }
    EXPECT_LE(seen.size(), 8u) << length;
    EXPECT_EQ(*seen.rbegin(), length);
  }
}

// What a graph replays is what was asked of it step by step: dropout, loops, learning rates, muon.
TEST_F(Steps, ReplayedFromAGraphAreTheSteps) {
  settings_.deterministic = true;
  for (const c10::Device device : compat::devices())
    for (const std::string architecture : {"gpt2", "looped"}) {
      const bool looped = architecture == "looped";
      nn::ModelSettings model_settings = small_model(data_);
      model_settings.architecture = architecture;
      model_settings.width = 128;  // wide enough for the CUDA kernels
      model_settings.heads = 4;
      model_settings.loops = 2;
      model_settings.shift = !looped;
      model_settings.loop_norm = looped;
      settings_.fewest_loops = looped ? 1 : 0;
      settings_.rounds = looped ? 2 : 1;
      optimizer_.optimizer = looped ? "muon" : "adamw";
      const auto run = [&](bool graph) {
        settings_.cuda_graph = graph;
        const auto model = nn::make_model(model_settings, 2);
        model->to(device);
        Run one(*this, *model, /*ema=*/0.9);
        std::vector<double> losses;
        for (int step = 0; step < 20; ++step) {
          one.next(1.0 / (step + 1));
          losses.push_back(one.step.loss());
        }
        std::vector<at::Tensor> weights;
        for (const nn::Parameter& parameter : model->parameters().all())
          weights.push_back(nn::host_copy(parameter.value));
        for (const at::Tensor& average : one.state.ema->averages())
          weights.push_back(nn::host_copy(average));
        return std::pair(losses, weights);
      };
      const auto [losses, weights] = run(false);
      const auto [replayed_losses, replayed_weights] = run(true);
      EXPECT_EQ(replayed_losses, losses) << architecture << " on " << device;
      EXPECT_LT(losses.back(), losses.front());
      for (std::size_t i = 0; i < weights.size(); ++i)
        EXPECT_TRUE(at::equal(replayed_weights[i], weights[i])) << architecture << " on " << device;
    }
}

// Both round to bf16 in their own places: losses differ by about 2^-8 of themselves, not more.
TEST_F(Steps, WithOurKernelsFollowThoseOfLibTorch) {
  for (const c10::Device device : compat::devices())
    for (const auto& [architecture, loop_norm] :
         {std::pair<std::string, bool>{"gpt2", false}, {"looped", false}, {"looped", true}}) {
      nn::ModelSettings model_settings = small_model(data_);
      model_settings.architecture = architecture;
      model_settings.loop_norm = loop_norm;
      model_settings.width = 128;  // wide enough for the CUDA kernels
      model_settings.heads = 4;
      model_settings.shift = architecture == "gpt2";
      model_settings.dropout = 0;
      optimizer_.optimizer = architecture == "gpt2" ? "adamw" : "muon";
      const auto losses_of = [&](bool kernels) {
        settings_.cuda_kernels = kernels;
        const auto model = nn::make_model(model_settings, 2);
        model->to(device);
        Run one(*this, *model);
        std::vector<double> losses;
        for (int step = 0; step < 10; ++step) {
          one.next(1);
          losses.push_back(one.step.loss());
        }
        return losses;
      };
      const std::vector<double> ours = losses_of(true), theirs = losses_of(false);
      if (device.is_cpu()) {
        EXPECT_EQ(ours, theirs);
        continue;
      }
      for (std::size_t i = 0; i < ours.size(); ++i)
        EXPECT_NEAR(ours[i], theirs[i], 0x1p-7 * theirs[i]) << architecture << " step " << i;
    }
}

// Counted tokens of all examples, however many are looked at together.
TEST_F(Steps, LeaveHeldOutExamplesToBeLookedAt) {
  Table model(model_settings(0));
  const auto length = static_cast<std::size_t>(data_.train.length());
  const std::size_t size = data_.held_out.size();
  data::Batch all{0, data::Rows(size, length), {}};
  ASSERT_EQ(size, static_cast<std::size_t>(kRows));
  for (std::size_t i = 0; i < size; ++i) {
    all.rows.items[i] = static_cast<std::uint32_t>(i);
    data_.held_out.write_row(i, all.rows[i]);
  }
  const objectives::Batch batch = tensors(all);
  const objectives::Noised noised = objective_->noise(batch, kSeed).front();
  const at::Tensor table = nn::host_copy(model.table()).to(at::kDouble);
  const auto expected = objective_->loss(
      {{table.expand({kRows, batch.tokens.size(1), table.size(0)})}}, batch, noised);
  const double count = expected.count.item<double>();
  const at::Tensor right = (batch.tokens == table.argmax()) & noised.counted;
  for (const std::size_t rows : {1, 3, 100}) {
    const HeldOut got = held_out(model, *objective_, data_.held_out, kSeed, /*bf16=*/false, rows);
    EXPECT_NEAR(got.loss, expected.sum.item<double>() / count, 1e-5) << rows;
    EXPECT_EQ(got.token_accuracy, right.sum().item<double>() / count) << rows;
    EXPECT_FALSE(model.asked.back().training);
  }
}

}  // namespace
}  // namespace mgdm::training
