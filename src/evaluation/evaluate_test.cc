#include "evaluation/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "inference/test_support.h"
#include "tasks/all_tasks.h"

namespace mgdm::evaluation {
namespace {

using inference::LoadedModel;
using inference::planning_examples;
using inference::scripted_model;
using inference::solving_model;
using tasks::Example;

decoding::DecodingSettings plain_decoding(std::int64_t steps) {
  decoding::DecodingSettings settings;
  settings.steps = steps;
  settings.noise = 0;
  return settings;
}

TEST(Evaluate, CountsWhatWentWrongAndWhere) {
  const std::vector<Example> answers = {
      {"86,28,13,31,96", "86+28=114,31-13=18,114-18=96"},    // right
      {"39,22,92,10,89", "39+92=131,22*10=220,220-131=88"},  // 89
      {"16,4,40,51,87", "51-40=11,16*4=64,11+64=87"},        // wrong from equation 1, hidden in 3
  };
  std::vector<Example> examples = answers;
  examples[1].output = "39+92=131,22*10=220,220-131=89";
  examples[2].output = "16/4=4,40+51=91,91-4=87";
  const LoadedModel model = scripted_model("countdown-4", 64, answers);
  std::size_t reported = 0;
  const Evaluation result = evaluate(model, examples, plain_decoding(5), /*batch=*/2,
                                     [&](std::size_t n) { reported += n; });
  EXPECT_EQ(reported, 3u);
  EXPECT_EQ(result.score.all.n, 3u);
  EXPECT_EQ(result.score.all.correct, 1u);
  EXPECT_EQ(result.score.all.correct_paper, 1u);
  const auto& errors = result.score.errors;
  ASSERT_TRUE(errors.contains("calculation error") && errors.contains("planning error"));
  EXPECT_EQ(errors.at("calculation error").by_place, (std::map<int, std::size_t>{{3, 2}}));
  EXPECT_EQ(errors.at("planning error").by_place, (std::map<int, std::size_t>{{1, 1}}));
  EXPECT_EQ(result.forward_passes, 5);
  EXPECT_EQ(result.best_forward_passes, 5);
  EXPECT_GT(result.samples_per_second, 0);
  ASSERT_EQ(result.answers.size(), 3u);
  EXPECT_TRUE(result.answers[1].first.text.starts_with(answers[1].output + "[EOS][PAD]"));
}

// On a CPU a large batch would only keep people waiting.
TEST(Evaluate, ReportsBeforeALargeBatchIsDone) {
  const std::vector<Example> examples = planning_examples(20);
  const LoadedModel model = solving_model("planning", 28, /*hardest=*/2);
  std::vector<std::size_t> reported;
  evaluate(model, examples, plain_decoding(6), /*batch=*/1000,
           [&](std::size_t n) { reported.push_back(n); });
  EXPECT_EQ(std::accumulate(reported.begin(), reported.end(), std::size_t{0}), 20u);
  EXPECT_LE(*std::max_element(reported.begin(), reported.end()), inference::kEnoughForAThread);
}

// 2 ms for every puzzle and pass.
TEST(Evaluate, EndsWhenItsTimeIsOver) {
  const std::vector<Example> examples = planning_examples(2000);
  const data::Vocabulary vocabulary;
  auto slow = std::make_unique<decoding::FunctionNetwork>(
      static_cast<std::size_t>(vocabulary.size()),
      [](std::span<const data::Token>, std::span<const std::uint8_t>, std::span<float> logits) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        std::fill(logits.begin(), logits.end(), 0.f);
      });
  const LoadedModel model({.network = std::move(slow)}, spec::ModelSettings(),
                          {.task = "planning", .length = 28}, vocabulary);
  std::size_t reported = 0;
  const Evaluation cut = evaluate(
      model, examples, plain_decoding(1), /*batch=*/1000, [&](std::size_t n) { reported += n; },
      /*limit=*/0.2);
  EXPECT_GE(cut.score.all.n, 4u);
  EXPECT_LT(cut.score.all.n, 1000u);  // all of them would take 4 s
  EXPECT_EQ(cut.answers.size(), cut.score.all.n);
  EXPECT_EQ(reported, cut.score.all.n);
  EXPECT_EQ(cut.forward_passes, 1);
  const auto some = std::span<const Example>(examples).first(40);
  EXPECT_EQ(evaluate(model, some, plain_decoding(1), 1000).score.all.n, 40u);
  EXPECT_EQ(evaluate(model, some, plain_decoding(1), 1000, {}, /*limit=*/60).score.all.n, 40u);
}

// After five puzzles, one pass for each.
TEST(Evaluate, TellsWhatItHasWhenInterrupted) {
  const std::vector<Example> examples = planning_examples(20);
  const data::Vocabulary vocabulary;
  auto network = std::make_unique<decoding::FunctionNetwork>(
      static_cast<std::size_t>(vocabulary.size()),
      [passes = 0](std::span<const data::Token>, std::span<const std::uint8_t>,
                   std::span<float> logits) mutable {
        if (passes++ == 5) throw Interrupted("interrupted");
        std::fill(logits.begin(), logits.end(), 0.f);
      });
  const LoadedModel model({.network = std::move(network)}, spec::ModelSettings(),
                          {.task = "planning", .length = 28}, vocabulary);
  try {
    evaluate(model, examples, plain_decoding(1), /*batch=*/1);
    ADD_FAILURE() << "not interrupted";
  } catch (const InterruptedEvaluation& interrupted) {
    EXPECT_EQ(interrupted.first.score.all.n, 5u);
    EXPECT_EQ(interrupted.first.answers.size(), 5u);
    EXPECT_EQ(interrupted.first.forward_passes, 1);
  }
}

// What was cut short is gone on with, to the same end.
TEST(Evaluate, GoesOnFromWhatWasBegun) {
  const std::vector<Example> examples = planning_examples(20);
  const LoadedModel model = solving_model("planning", 28, /*hardest=*/2);
  decoding::DecodingSettings settings = plain_decoding(6);
  settings.order = "random";  // drawn by the number of the puzzle
  settings.tries = 3;
  const Evaluation whole = evaluate(model, examples, settings, 16);
  PartialEvaluation partial;
  std::size_t reported = 0;
  for (const std::size_t n : {4u, 8u, 12u, 16u, 20u, 20u}) {
    const Evaluation part = evaluate(
        model, examples, settings, 16, [&](std::size_t some) { reported += some; },
        /*limit=*/1e-9, partial);
    ASSERT_EQ(part.answers.size(), n);
    EXPECT_EQ(std::exchange(reported, 0), n);
    EXPECT_GE(part.seconds, partial.seconds);
    partial = {part.answers, part.seconds};
    if (n < 20) continue;
    EXPECT_EQ(part.score.all.correct, whole.score.all.correct);
    EXPECT_EQ(part.best.all.correct, whole.best.all.correct);
    EXPECT_EQ(part.forward_passes, whole.forward_passes);
    EXPECT_EQ(part.best_forward_passes, whole.best_forward_passes);
    EXPECT_GT(part.samples_per_second, 0);
  }
  EXPECT_LT(whole.score.all.correct, whole.best.all.correct);
}

TEST(Evaluate, PerPlanningDistance) {
  const auto task = tasks::make_task("planning");
  std::vector<Example> examples, answers;
  std::map<int, std::size_t> right, all;
  for (std::uint32_t i = 0; i < 40; ++i) {
    examples.push_back(task->generate(0, tasks::Split::kTest, i));
    answers.push_back(examples.back());
    const int distance = task->abilities().lookahead->planning_distance(examples.back());
    if (i % 3 == 0) answers.back().output = "0,1";  // no path of five edges
    right[distance] += i % 3 == 0 ? 0 : 1;
    ++all[distance];
  }
  const Evaluation result =
      evaluate(scripted_model("planning", 75, answers), examples, plain_decoding(2), 16);
  ASSERT_EQ(result.score.by_planning_distance.size(), all.size());
  for (const auto& [distance, tally] : result.score.by_planning_distance) {
    EXPECT_EQ(tally.n, all[distance]) << distance;
    EXPECT_EQ(tally.correct, right[distance]) << distance;
  }
}

// Further tries change neither the single tries nor their passes; they are a score of their own.
TEST(Evaluate, TriesStandApart) {
  const std::vector<Example> examples = planning_examples(40);
  // Order matters to this one: some tokens are known only when one or two others are shown.
  const LoadedModel model = solving_model("planning", 28, /*hardest=*/2);
  decoding::DecodingSettings settings = plain_decoding(6);
  settings.order = "random";
  const Evaluation once = evaluate(model, examples, settings, 16);
  settings.tries = 8;
  const Evaluation often = evaluate(model, examples, settings, 16);
  for (std::size_t i = 0; i < examples.size(); ++i)
    EXPECT_EQ(once.answers[i].first.text, often.answers[i].first.text);
  EXPECT_EQ(once.score.all.correct, often.score.all.correct);
  EXPECT_EQ(once.forward_passes, often.forward_passes);
  EXPECT_EQ(once.best.all.correct, once.score.all.correct);
  EXPECT_GT(once.score.all.correct, 0u);
  EXPECT_LT(once.score.all.correct, 40u);
  EXPECT_GT(often.best.all.correct, often.score.all.correct);
  EXPECT_GT(often.best_forward_passes, often.forward_passes);
}

}  // namespace
}  // namespace mgdm::evaluation
