// Whole answers in one launch (ops/decoding_pass.h), pass by pass: what the kernel says of the
// tokens is what the network says of them, up to rounding, and what it then chooses is what
// ops/decoding_pass.h chooses. They need a GPU.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "compat/device.h"
#include "data/vocabulary.h"
#include "decoding/test_support.h"
#include "engine/decoding_kernels.h"
#include "engine/kernel_decoder.h"
#include "nn/model.h"
#include "nn/test_support.h"
#include "ops/decoding_pass.h"

namespace mgdm::engine {
namespace {

using Rule = ops::DecodingRule;

// A network twice: as it answers, and with the same weights in fp32.
struct Twins {
  std::unique_ptr<nn::Model> fast, exact;
};

Twins twins(const nn::ModelSettings& settings) {
  const at::NoGradGuard no_grad;
  Twins both{nn::steady(settings), nn::make_model(settings, 3)};
  for (nn::Model* model : {both.fast.get(), both.exact.get()}) model->to(compat::device("cuda"));
  both.fast->keep_matrices_in_bf16();
  for (std::size_t i = 0; i < both.fast->parameters().all().size(); ++i) {
    at::Tensor value = both.exact->parameters().all()[i].value;
    value.copy_(both.fast->parameters().all()[i].value);
  }
  return both;
}

nn::ModelSettings settings_of(const char* architecture, std::int64_t width, std::int64_t heads) {
  nn::ModelSettings settings;
  settings.architecture = architecture;
  settings.layers = 2;
  settings.loops = 2;
  settings.heads = heads;
  settings.width = width;
  settings.positions = 90;
  settings.dropout = 0;
  return settings;
}

ops::AnswerRows some_rows(std::int64_t rows, std::int64_t length) {
  const auto device = at::TensorOptions().device(at::kCUDA);
  return {at::randint(9, 31, {rows, length}, device.dtype(at::kLong)),
          at::randn({rows, length}, device) > 0.3,
          at::randint(0, 1 << 20, {rows}, device.dtype(at::kLong))};
}

Rule rule_for(Rule::Order order, bool revise, bool early_stop, std::int64_t steps) {
  return {.order = order,
          .steps = steps,
          .revise = revise,
          .masks_again = revise,
          .early_stop = early_stop,
          .noise = 0.5,
          .temperature = order == Rule::Order::kRandom ? 1.0 : 0.0,
          .threshold = 0.3,
          .entropy_bound = 4,
          .seed = 7,
          .mask_token = data::kMask,
          .never = {data::kSep, data::kMask, data::kUnk}};
}

at::Tensor counts_for(const Rule& rule, std::int64_t length) {
  decoding::DecodingSettings settings;
  settings.steps = rule.steps;
  return masked_counts(settings, length).to(at::kCUDA);
}

double rms(const at::Tensor& x) { return std::sqrt((x * x).mean().item<double>()); }

// As in nn/precision_test.cc: bf16 rounds 14 times in a block, the last norm once more, each time
// by at most 2^-8, with signs as good as random.
void expect_rounded(const at::Tensor& got, const at::Tensor& expected, double blocks) {
  const double share = std::sqrt(14 * blocks + 1) * 0x1p-8;
  const at::Tensor error = (got.to(at::kDouble) - expected.to(at::kDouble)).abs();
  EXPECT_LE(rms(error), share * rms(expected.to(at::kDouble)));
  EXPECT_TRUE((error <= 8 * share * expected.abs().clamp_min(rms(expected))).all().item<bool>());
}

class AnswersInOneLaunch : public testing::Test {
 protected:
  void SetUp() override {
    if (!compat::is_hopper()) GTEST_SKIP() << "no Hopper GPU";
    compat::seed_dropout(11);
  }

  static void follow(const nn::ModelSettings& settings, const Rule& rule, std::int64_t rows,
                     std::int64_t length) {
    SCOPED_TRACE(testing::Message()
                 << settings.architecture << " " << settings.width << "/" << settings.heads
                 << ", order " << static_cast<int>(rule.order) << ", " << rows << " x " << length);
    const at::NoGradGuard no_grad;
    const Twins network = twins(settings);
    const ops::AnswerRows puzzles = some_rows(rows, length);
    if (rows > 2) puzzles.frozen.select(0, 1).fill_(true);  // nothing to decode there
    const std::optional<ops::Transformer> tensors = network.fast->transformer(0);
    ASSERT_TRUE(tensors.has_value() && ops::answer_takes(*tensors, puzzles));
    follow(*network.exact, *tensors, rule, puzzles);
  }

 private:
  static void follow(nn::Model& exact, const ops::Transformer& tensors, const Rule& rule,
                     const ops::AnswerRows& puzzles) {
    const ops::Answers got(tensors, puzzles);
    const double blocks = static_cast<double>(exact.settings().layers * tensors.loops);
    const ops::DecodingTry now{at::full_like(puzzles.items, 65536),
                               counts_for(rule, puzzles.tokens.size(1))};
    at::Tensor tokens = puzzles.tokens.masked_fill(puzzles.frozen.logical_not(), rule.mask_token);
    const ops::DecodingRows state{tokens,
                                  puzzles.frozen,
                                  puzzles.items,
                                  at::zeros_like(tokens),
                                  at::zeros_like(puzzles.items),
                                  puzzles.frozen.logical_not().any(1)};
    ops::AnswerTry some{.first_draw = 65536, .counts = now.counts};
    while (state.active.any().item<bool>()) {
      ASSERT_LE(++some.most_passes, rule.steps);
      ops::answer(tensors, rule, some, puzzles, got);
      const nn::Prediction said = exact.forward({tokens, puzzles.frozen}).last();
      expect_rounded(got.logits, nn::apply_head(said.hidden(), said.head()), blocks);
      const at::Tensor shifted =
          said.shift() ? at::cat({got.logits.slice(1, 0, 1), got.logits.slice(1, 0, -1)}, 1)
                       : got.logits;
      ops::decoding_pass(shifted, rule, now, state);
      ASSERT_TRUE(at::equal(got.numbers.tokens, state.tokens)) << "pass " << some.most_passes;
      ASSERT_TRUE(at::equal(got.numbers.passes, state.passes)) << "pass " << some.most_passes;
    }
    some.most_passes = 0;
    ops::answer(tensors, rule, some, puzzles, got);
    EXPECT_TRUE(at::equal(got.numbers.tokens, state.tokens));
    EXPECT_TRUE(at::equal(got.numbers.passes, state.passes));
  }
};

TEST_F(AnswersInOneLaunch, FollowGpt2) {
  for (const std::int64_t head_size : {16, 32, 64}) {
    nn::ModelSettings settings = settings_of("gpt2", 128, 128 / head_size);
    follow(settings, rule_for(Rule::Order::kTopk, true, false, 4), 1, 37);
    settings.causal = true;  // and so shifted
    follow(settings, rule_for(Rule::Order::kMargin, false, false, 4), 5, 13);
  }
}

TEST_F(AnswersInOneLaunch, FollowLooped) {
  nn::ModelSettings settings = settings_of("looped", 256, 8);
  follow(settings, rule_for(Rule::Order::kTopk, true, true, 4), 1, 81);
  settings.loop_norm = settings.frozen_embedding = true;
  settings.shift = false;
  follow(settings, rule_for(Rule::Order::kEntropy, false, true, 8), 2, 46);
}

// What stands somewhere and whether it is frozen: also where something is masked again, the last
// positions are no whole tile, and rows finish one after the other.
TEST_F(AnswersInOneLaunch, FollowWhatChangesFromPassToPass) {
  nn::ModelSettings looped = settings_of("looped", 256, 8);
  looped.loop_norm = looped.frozen_embedding = true;
  looped.shift = false;
  Rule remask = rule_for(Rule::Order::kMargin, false, true, 8);
  remask.masks_again = true;
  for (const nn::ModelSettings& settings : {looped, settings_of("gpt2", 384, 12)}) {
    follow(settings, remask, 1, 52);
    follow(settings, remask, 2, 41);
    follow(settings, rule_for(Rule::Order::kTopk, true, true, 8), 2, 48);
    follow(settings, rule_for(Rule::Order::kThreshold, false, true, 8), 3, 29);
  }
}

// Where the last tile is one position, a shift leaves out all that it says.
TEST_F(AnswersInOneLaunch, FollowAShiftedRowWhoseLastTileIsOnePosition) {
  nn::ModelSettings settings = settings_of("gpt2", 128, 4);
  settings.layers = 3;
  settings.causal = true;
  for (const std::int64_t length : {16, 17, 18, 33})
    follow(settings, rule_for(Rule::Order::kTopk, true, false, 5), 1, length);
}

TEST_F(AnswersInOneLaunch, FollowOneLayer) {
  nn::ModelSettings settings = settings_of("gpt2", 128, 4);
  settings.layers = 1;
  follow(settings, rule_for(Rule::Order::kTopk, true, false, 4), 1, 37);
}

// Rows of several lengths take turns, and need more memory or less.
TEST_F(AnswersInOneLaunch, FollowLongRowsAfterShortOnes) {
  const nn::ModelSettings settings = settings_of("looped", 256, 8);
  for (const std::int64_t length : {81, 21, 81})
    follow(settings, rule_for(Rule::Order::kTopk, true, false, 3), 1, length);
}

TEST_F(AnswersInOneLaunch, FollowAtTheSizesOfRecipes) {
  const Rule rule = rule_for(Rule::Order::kTopk, true, false, 3);
  for (const char* architecture : {"gpt2", "looped"}) {
    nn::ModelSettings settings = settings_of(architecture, 384, 12);
    settings.layers = 3;
    follow(settings, rule, 1, 64);
  }
}

// Heads that are fewer than the 16 blocks of a cluster, as many, and more: one for some of them,
// two for others. One row, whose last positions are no whole tile, and two rows.
TEST_F(AnswersInOneLaunch, FollowWithAnyNumberOfHeads) {
  const Rule rule = rule_for(Rule::Order::kTopk, true, false, 3);
  for (const auto& [width, heads] :
       {std::pair{128, 2}, {128, 8}, {256, 4}, {256, 16}, {384, 6}, {384, 24}})
    for (const char* architecture : {"gpt2", "looped"}) {
      follow(settings_of(architecture, width, heads), rule, 1, 41);
      follow(settings_of(architecture, width, heads), rule, 2, 20);
    }
}

// Memory that another puzzle was answered in changes no bit of the next answer.
TEST_F(AnswersInOneLaunch, ForgetTheLastPuzzle) {
  const at::NoGradGuard no_grad;
  const Twins network = twins(settings_of("gpt2", 128, 4));
  const ops::Transformer tensors = *network.fast->transformer(0);
  const Rule rule = rule_for(Rule::Order::kTopk, true, false, 6);
  const ops::AnswerRows first = some_rows(1, 39), second = some_rows(1, 39);
  const ops::Answers used(tensors, first);
  const ops::AnswerTry some{.first_draw = 65536, .counts = counts_for(rule, 39)};
  const ops::Answers fresh(tensors, second);
  ops::answer(tensors, rule, some, second, fresh);
  for (int turn = 0; turn < 20; ++turn) {
    ops::answer(tensors, rule, some, first, used);
    ops::answer(tensors, rule, some, second, used);
    ASSERT_TRUE(at::equal(used.numbers.all, fresh.numbers.all)) << turn;
    ASSERT_TRUE(at::equal(used.logits, fresh.logits)) << turn;
  }
}

TEST_F(AnswersInOneLaunch, FollowEveryOrder) {
  for (const Rule::Order order : {Rule::Order::kTopk, Rule::Order::kMargin, Rule::Order::kRandom,
                                  Rule::Order::kThreshold, Rule::Order::kEntropy})
    for (const bool early_stop : {false, true})
      follow(settings_of("gpt2", 128, 4), rule_for(order, false, early_stop, 6), 3, 23);
}

TEST_F(AnswersInOneLaunch, AreForSmallBatchesInBf16) {
  const Twins network = twins(settings_of("gpt2", 128, 4));
  const auto fast = network.fast->transformer(0), exact = network.exact->transformer(0);
  EXPECT_TRUE(ops::answer_takes(*fast, some_rows(2, 30)));
  EXPECT_FALSE(ops::answer_takes(*fast, some_rows(200, 30)));
  EXPECT_FALSE(ops::answer_takes(*fast, some_rows(1, 91)));  // more than it has positions
  EXPECT_FALSE(ops::answer_takes(*exact, some_rows(2, 30)));
}

// The decoder takes the kernel for small batches, and passes one by one for large ones: the same
// answers, up to ties. With one pass these are few.
TEST_F(AnswersInOneLaunch, AreWhatPassesOneByOneGive) {
  const Twins network = twins(settings_of("gpt2", 128, 4));
  KernelNetwork one_by_one = kernel_network(*network.fast, /*bf16=*/true);
  one_by_one.transformer = {};
  KernelDecoder whole(kernel_network(*network.fast, true)), passes(one_by_one);
  for (const std::int64_t steps : {1, 6})
    for (const std::uint32_t rows : {3u, 70u}) {
      decoding::DecodingSettings settings;
      settings.revise = "on";
      settings.steps = steps;
      std::map<decoding::SlotId, decoding::TryResult> got, expected;
      const auto puzzles = decoding::random_puzzles(rows, rows, 30, settings);
      for (std::size_t i = 0; i < puzzles.size(); ++i) {
        whole.join(i, {puzzles[i]});
        passes.join(i, {puzzles[i]});
      }
      while (whole.active() > 0)
        for (auto& result : whole.pass()) got.emplace(result.slot, std::move(result));
      while (passes.active() > 0)
        for (auto& result : passes.pass()) expected.emplace(result.slot, std::move(result));
      ASSERT_EQ(got.size(), rows);
      double same = 0;
      for (const auto& [slot, result] : expected) {
        EXPECT_EQ(got.at(slot).passes, result.passes);
        for (std::size_t n = 0; n < 30; ++n)
          same += got.at(slot).tokens[n] == result.tokens[n] ? 1.0 / (30 * rows) : 0;
      }
      EXPECT_TRUE(steps > 1 || same >= 0.95) << rows << " " << same;
    }
}

}  // namespace
}  // namespace mgdm::engine
