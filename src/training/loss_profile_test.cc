#include "training/loss_profile.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/error.h"
#include "base/random.h"
#include "nn/batch_tensors.h"
#include "nn/model.h"
#include "spec/kinds.h"
#include "tasks/all_tasks.h"

namespace mgdm::training {
namespace {

using evaluation::LossProfile;
using evaluation::LossTable;
using evaluation::TokenLosses;
using tasks::Example;
using Ints = std::vector<std::int64_t>;

constexpr int kLength = 40;

std::vector<Example> planning_examples(std::uint32_t count) {
  const auto task = tasks::make_task("planning", {"nodes=4"});
  std::vector<Example> examples;
  for (std::uint32_t i = 0; i < count; ++i)
    examples.push_back(task->generate(0, tasks::Split::kTest, i));
  return examples;
}

// A tiny GPT-2 with random weights, and what it answers.
struct Tiny {
  std::unique_ptr<nn::Model> model;
  spec::ModelCard card;
  spec::PuzzleRows rows;
};

Tiny tiny(const std::string& objective, const std::string& task, int length,
          const std::string& layout = "seq2seq", bool reverse = false) {
  spec::ModelSettings settings;
  settings.layers = 1;
  settings.heads = 2;
  settings.width = 16;
  settings.positions = length;
  settings.dropout = 0;
  settings.causal = spec::objective_kind(objective).causal;
  const spec::ModelCard card{
      .task = task, .layout = layout, .length = length, .objective = objective, .reverse = reverse};
  return {nn::make_model(settings, 7), card, spec::PuzzleRows(card, data::Vocabulary())};
}

LossProfile profile_losses(const Tiny& each, const std::vector<Example>& examples,
                           const ProfileSettings& settings) {
  return training::profile_losses(*each.model, each.card, each.rows, examples, settings);
}

// One example as the layout has it.
struct PlainRow {
  std::vector<data::Token> tokens;
  std::vector<std::uint8_t> frozen;
  std::size_t begin = 0;
};

PlainRow plain_row(const Tiny& each, const Example& example) {
  const auto length = static_cast<std::size_t>(each.rows.layout().length());
  PlainRow row{std::vector<data::Token>(length), std::vector<std::uint8_t>(length)};
  each.rows.layout().write(each.rows.vocabulary().encode(example.input),
                           each.rows.vocabulary().encode(example.output), {row.tokens, row.frozen});
  if (each.rows.layout().name() == "seq2seq") row.begin = example.input.size() + 1;
  return row;
}

// Adds the losses of one pass over `shown` at the positions `counted`, by plain sums of
// exponentials.
void add_plain(std::map<std::size_t, TokenLosses>& losses, const Tiny& each, const PlainRow& row,
               const Ints& shown, const std::vector<bool>& counted) {
  const at::NoGradGuard no_grad;
  const at::Tensor logits = each.model
                                ->forward({at::tensor(shown, at::kLong).unsqueeze(0),
                                           nn::bool_tensor(row.frozen, 1, at::kCPU)})
                                .last()
                                .logits()[0];
  for (std::size_t n = 0; n < shown.size(); ++n) {
    if (!counted[n]) continue;
    double sum = 0, best = -INFINITY;
    std::int64_t likeliest = 0;
    for (std::int64_t v = 0; v < logits.size(1); ++v) {
      const double logit = logits[static_cast<std::int64_t>(n)][v].item<double>();
      sum += std::exp(logit);
      if (logit > best) best = logit, likeliest = v;
    }
    const std::int64_t target = row.tokens[n];
    losses[n - row.begin].add(
        std::log(sum) - logits[static_cast<std::int64_t>(n)][target].item<double>(),
        likeliest == target);
  }
}

// Logits of the tiny model are below 1, so float32 rounding leaves about 1e-6 in a loss near 3.4.
constexpr double kTolerance = 1e-5;

void expect_level(const LossTable& table, std::size_t level,
                  const std::map<std::size_t, TokenLosses>& expected) {
  for (std::size_t n = 0; n < table.positions(); ++n) {
    const TokenLosses& cell = table.at(level, n);
    const auto found = expected.find(n);
    ASSERT_EQ(cell.count, found == expected.end() ? 0 : found->second.count) << level << " " << n;
    if (found == expected.end()) continue;
    EXPECT_NEAR(cell.loss(), found->second.loss(), kTolerance) << level << " " << n;
    EXPECT_EQ(cell.right, found->second.right) << level << " " << n;
  }
}

TEST(LossProfile, IsThePlainAverageOverMaskedTokens) {
  constexpr std::int64_t kLevels = 4, kSamples = 2, kSeed = 5;
  const auto examples = planning_examples(6);
  const Tiny each = tiny("mgdm", "planning", kLength);
  const LossProfile profile =
      profile_losses(each, examples, {kLevels, kSamples, kSeed, /*batch=*/4});
  ASSERT_EQ(profile.all.noised.levels(), 4u);
  double masked_before = 0;
  for (std::int64_t t = 0; t < kLevels; ++t) {
    std::map<std::size_t, TokenLosses> expected;
    for (std::uint32_t i = 0; i < examples.size(); ++i)
      for (std::uint32_t sample = 0; sample < kSamples; ++sample) {
        const PlainRow row = plain_row(each, examples[i]);
        Stream mask(kSeed, Purpose::kMask, i, sample);
        Ints shown(row.tokens.begin(), row.tokens.end());
        std::vector<bool> masked(shown.size());
        for (std::size_t n = 0; n < shown.size(); ++n) {
          masked[n] = mask.uniform() < static_cast<double>(t + 1) / kLevels && row.frozen[n] == 0;
          if (masked[n]) shown[n] = data::kMask;
        }
        add_plain(expected, each, row, shown, masked);
      }
    expect_level(profile.all.noised, static_cast<std::size_t>(t), expected);
    const double masked = profile.all.noised.of_level(static_cast<std::size_t>(t)).count;
    EXPECT_GT(masked, masked_before);
    masked_before = masked;
  }
}

void expect_left_to_right(const Tiny& each, const std::vector<Example>& examples) {
  const LossProfile profile = profile_losses(each, examples, {.levels = 2, .batch = 2});
  std::map<std::size_t, TokenLosses> expected;
  for (const Example& example : examples) {
    const PlainRow row = plain_row(each, example);
    for (std::size_t n = 0; n < row.tokens.size(); ++n) {
      if (row.frozen[n] != 0 || row.tokens[n] == data::kPad) continue;
      Ints shown(row.tokens.begin(), row.tokens.end());
      for (std::size_t later = n; later < shown.size(); ++later)
        if (row.frozen[later] == 0) shown[later] = data::kMask;
      std::vector<bool> counted(shown.size());
      counted[n] = true;
      add_plain(expected, each, row, shown, counted);
    }
  }
  ASSERT_TRUE(profile.all.left_to_right);
  expect_level(*profile.all.left_to_right, 0, expected);
}

TEST(LossProfile, LeftToRightHidesWhatFollows) {
  expect_left_to_right(tiny("rdm", "planning", kLength), planning_examples(5));
}

TEST(LossProfile, LeftToRightInPlaceKeepsTheGivens) {
  const auto task = tasks::make_task("sudoku");
  expect_left_to_right(
      tiny("mgdm", "sudoku", 81, "in_place"),
      {task->generate(0, tasks::Split::kTest, 0), task->generate(0, tasks::Split::kTest, 1)});
}

// Each context by hand: the subgoal is masked, and what is not shown with it.
TEST(LossProfile, TheHardSubgoalUnderEachContext) {
  const auto examples = planning_examples(8);
  const Tiny each = tiny("mgdm", "planning", kLength);
  const LossProfile profile = profile_losses(each, examples, {.levels = 1, .batch = 3});
  struct Context {
    const char* name;
    bool before, after;
  };
  std::size_t hard = 0;
  for (const Context& context : {Context{"before", true, false}, Context{"after", false, true},
                                 Context{"both", true, true}, Context{"nothing", false, false}}) {
    TokenLosses sum;
    hard = 0;
    for (const Example& example : examples) {
      const auto place = each.rows.task().abilities().lookahead->hard_subgoal(example);
      if (!place) continue;
      ++hard;
      const PlainRow row = plain_row(each, example);
      const std::size_t subgoal = row.begin + *place;
      Ints shown(row.tokens.begin(), row.tokens.end());
      for (std::size_t n = row.begin; n < shown.size(); ++n)
        if (n == subgoal || (n < subgoal && !context.before) || (n > subgoal && !context.after))
          shown[n] = data::kMask;
      std::vector<bool> counted(shown.size());
      counted[subgoal] = true;
      std::map<std::size_t, TokenLosses> losses;
      add_plain(losses, each, row, shown, counted);
      sum.add(losses.at(*place));
    }
    const TokenLosses& measured = profile.all.at_subgoal.by_context.at(context.name);
    EXPECT_EQ(measured.count, sum.count) << context.name;
    EXPECT_NEAR(measured.loss(), sum.loss(), kTolerance) << context.name;
  }
  EXPECT_GT(hard, 2u);
  EXPECT_LT(hard, examples.size());  // some have none
  // One level masks everything: the same as showing nothing.
  ASSERT_EQ(profile.all.at_subgoal.by_level.size(), 1u);
  EXPECT_EQ(profile.all.at_subgoal.by_level[0].count, static_cast<double>(hard));
  EXPECT_NEAR(profile.all.at_subgoal.by_level[0].loss(),
              profile.all.at_subgoal.by_context.at("nothing").loss(), kTolerance);
}

TEST(LossProfile, TheHardSubgoalOfOtherModels) {
  const auto examples = planning_examples(8);
  const LossProfile left_to_right =
      profile_losses(tiny("ar", "planning", kLength), examples, {.levels = 20});
  EXPECT_GT(left_to_right.all.at_subgoal.by_level.at(0).count, 2);
  EXPECT_TRUE(left_to_right.all.at_subgoal.by_context.empty());
  const LossProfile reverse = profile_losses(
      tiny("ar", "planning", kLength, "seq2seq", /*reverse=*/true), examples, {.levels = 20});
  EXPECT_EQ(reverse.all.at_subgoal.by_level.at(0).count, 0);
}

TEST(LossProfile, AutoregressiveHasOneLevelAndNoPads) {
  const auto examples = planning_examples(5);
  const Tiny each = tiny("ar", "planning", kLength);
  const LossProfile profile = profile_losses(each, examples, {.levels = 20, .batch = 3});
  ASSERT_EQ(profile.all.noised.levels(), 1u);
  EXPECT_FALSE(profile.all.left_to_right);
  std::map<std::size_t, TokenLosses> expected;
  double tokens = 0;
  for (const Example& example : examples) {
    const PlainRow row = plain_row(each, example);
    std::vector<bool> counted(row.tokens.size());
    for (std::size_t n = 0; n < counted.size(); ++n)
      counted[n] = row.frozen[n] == 0 && row.tokens[n] != data::kPad;
    add_plain(expected, each, row, Ints(row.tokens.begin(), row.tokens.end()), counted);
    tokens += static_cast<double>(example.output.size() + 1);  // and [EOS]
  }
  expect_level(profile.all.noised, 0, expected);
  EXPECT_EQ(profile.all.noised.all().count, tokens);
}

TEST(LossProfile, DoesNotDependOnTheBatch) {
  const auto examples = planning_examples(7);
  for (const std::string objective : {"mgdm", "d3pm_uniform", "teacherless"}) {
    const Tiny each = tiny(objective, "planning", kLength);
    const auto one = profile_losses(each, examples, {.levels = 3, .batch = 1});
    const auto all = profile_losses(each, examples, {.levels = 3, .batch = 100});
    const LossTable &a = one.all.noised, &b = all.all.noised;
    EXPECT_EQ(a.levels(), objective == "teacherless" ? 1u : 3u);
    for (std::size_t t = 0; t < a.levels(); ++t)
      for (std::size_t n = 0; n < a.positions(); ++n) {
        ASSERT_EQ(a.at(t, n).count, b.at(t, n).count) << objective;
        if (a.at(t, n).count > 0) {
          EXPECT_NEAR(a.at(t, n).loss(), b.at(t, n).loss(), kTolerance) << objective;
        }
      }
    EXPECT_EQ(one.all.left_to_right.has_value(), objective == "mgdm");
  }
}

TEST(LossProfile, PlanningDistancesAddUp) {
  const auto examples = planning_examples(30);
  const Tiny each = tiny("mgdm", "planning", kLength);
  const LossProfile profile = profile_losses(each, examples, {.levels = 2});
  EXPECT_GT(profile.by_planning_distance.size(), 2u);
  double count = 0, loss = 0;
  for (const auto& [distance, losses] : profile.by_planning_distance) {
    count += losses.noised.all().count;
    loss += losses.noised.all().loss_sum;
  }
  EXPECT_EQ(count, profile.all.noised.all().count);
  EXPECT_NEAR(loss, profile.all.noised.all().loss_sum, 1e-9 * loss);
}

// A model that answers backwards is asked for the label backwards.
TEST(LossProfile, ReversedLabelsForReverseModels) {
  auto examples = planning_examples(4);
  const auto forward = tiny("ar", "planning", kLength, "seq2seq", /*reverse=*/false);
  const auto reverse = tiny("ar", "planning", kLength, "seq2seq", /*reverse=*/true);
  const double expected = profile_losses(reverse, examples, {}).all.noised.all().loss();
  EXPECT_NE(profile_losses(forward, examples, {}).all.noised.all().loss(), expected);
  for (Example& example : examples) {
    example.output = tasks::reversed_output(forward.rows.task(), example.output);
  }
  EXPECT_NEAR(profile_losses(forward, examples, {}).all.noised.all().loss(), expected, kTolerance);
}

TEST(LossProfile, NeedsAnswers) {
  auto examples = planning_examples(2);
  examples[1].output.clear();
  EXPECT_THROW(profile_losses(tiny("mgdm", "planning", kLength), examples, {}), Error);
}

}  // namespace
}  // namespace mgdm::training
