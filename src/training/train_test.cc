// The loop itself, in this process. tests/training_cli_test.cc sees it as a user does.
#include "training/train.h"

#include <ATen/ops/equal.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/interrupt.h"
#include "formats/jsonl.h"
#include "model_files/history.h"
#include "nn/checkpoint.h"
#include "nn/tensor_bytes.h"
#include "training/test_support.h"

namespace mgdm::training {
namespace {

namespace fs = std::filesystem;

using StepNumbers = std::vector<std::int64_t>;

std::string file(const fs::path& folder, const char* name) { return read_file(folder / name); }

TEST(Train, MeasuresEvaluatesAndSavesWhenItIsTime) {
  SmallRun run;
  run.training.steps = 7;
  run.training.log_every = 3;
  run.training.evaluate_every = 4;
  run.training.checkpoint_every = 2;
  run.training.keep = 3;
  StepNumbers evaluated;
  run.on_evaluate = [&](std::int64_t step) -> Metrics {
    evaluated.push_back(step);
    return {{"accuracy", 0.5}};
  };
  EXPECT_EQ(run.train(), run.path() / "checkpoint-7");
  EXPECT_EQ(run.measured("loss"), (StepNumbers{3, 6, 7}));
  EXPECT_EQ(run.measured("accuracy"), (StepNumbers{4, 7}));
  EXPECT_EQ(evaluated, (StepNumbers{4, 7}));
  for (const int step : {2, 4, 6, 7})
    EXPECT_EQ(fs::exists(run.path() / ("checkpoint-" + std::to_string(step))), step > 2) << step;
  // Tokens per second are those since the line before, without the time of measurements.
  std::vector<nlohmann::json> logged;
  const std::string metrics = file(run.path(), "metrics.jsonl");
  for (const std::string_view line : split(metrics, '\n'))
    if (line.find("tokens_per_second") != line.npos) logged.push_back(nlohmann::json::parse(line));
  const auto at = [&](std::size_t i, const char* name) { return logged.at(i)[name].get<double>(); };
  EXPECT_GE(1 + at(1, "tokens_per_second") * (at(1, "seconds") - at(0, "seconds")),
            3 * run.training.batch * run.data.train.length());
}

TEST(Train, TellsTheCallerAndStopsWhenTold) {
  SmallRun run;
  StepNumbers told;
  run.on_progress = [&](const spec::RunProgress& progress) {
    told.push_back(progress.step);
    EXPECT_DOUBLE_EQ(progress.done, static_cast<double>(progress.step) / 6);
    EXPECT_EQ(progress.metrics.front().first, "loss");
    return progress.step < 4;
  };
  EXPECT_THROW(run.train(), Interrupted);
  EXPECT_EQ(told, (StepNumbers{2, 4}));
  EXPECT_TRUE(fs::exists(run.path() / "checkpoint-4"));
  EXPECT_EQ(run.train(/*resume=*/true), run.path() / "checkpoint-6");
}

TEST(Train, GoesOnBitForBit) {
  SmallRun whole, cut;
  cut.name = "cut";
  whole.training.ema = cut.training.ema = 0.9;
  whole.training.checkpoint_every = cut.training.checkpoint_every = 3;
  const fs::path one = whole.train();
  cut.train();
  fs::remove_all(cut.path() / "checkpoint-6");
  cut.model = nn::make_model(small_model(cut.data), 99);  // all of it comes from the files
  const fs::path other = cut.train(/*resume=*/true);
  for (const char* name : {"model.safetensors", "raw.safetensors", "optimizer.safetensors"})
    EXPECT_EQ(file(one, name), file(other, name)) << name;
  EXPECT_EQ(cut.measured("loss"), whole.measured("loss"));
  EXPECT_EQ(cut.measured("held_out_loss"), whole.measured("held_out_loss"));
}

// A learning rate that is too large makes the held-out loss worse after the first checkpoints.
TEST(Train, KeepsTheBestCheckpointAndCanEndEarly) {
  SmallRun run;
  run.training.steps = 400;
  run.training.checkpoint_every = 10;
  run.training.log_every = 10;
  run.training.keep = 1;
  run.training.patience = 60;
  run.optimizer.lr = 0.3;
  run.optimizer.schedule = "constant";
  const fs::path last = run.train();
  const auto steps = run.measured("held_out_loss");
  const auto losses = formats::read_metric(run.path() / "metrics.jsonl", "held_out_loss");
  const auto best = std::ranges::min_element(losses, {}, &formats::Curve::Point::y);
  const auto best_step = static_cast<std::int64_t>(best->x);
  EXPECT_EQ(steps.back(), best_step + 61);  // all processes end a step after it is known
  EXPECT_EQ(last, run.path() / fmt::format("checkpoint-{}", best_step + 61));
  EXPECT_EQ(model_files::checkpoints(run.path()).size(), 2u);
  EXPECT_EQ(fs::canonical(run.path() / "best"),
            fs::canonical(run.path() / fmt::format("checkpoint-{}", best_step)));
  EXPECT_EQ(model_files::history_of(run.path() / "best").back().step, best_step);
  // What has ended early is at its end, unless it is given more patience.
  EXPECT_EQ(run.train(/*resume=*/true), last);
  run.training.patience = 70;
  EXPECT_EQ(run.train(/*resume=*/true), run.path() / fmt::format("checkpoint-{}", best_step + 71));
}

TEST(Train, AccuracyCanDecideWhichCheckpointIsTheBest) {
  SmallRun run;
  run.training.best = "accuracy";
  run.training.evaluate_every = 2;
  run.training.keep = 1;
  run.on_evaluate = [](std::int64_t step) -> Metrics { return {{"accuracy", step == 4 ? 1 : 0}}; };
  run.train();
  EXPECT_EQ(fs::read_symlink(run.path() / "best"), "checkpoint-4");
  EXPECT_FALSE(fs::exists(run.path() / "checkpoint-2"));
  EXPECT_TRUE(fs::exists(run.path() / "best/DONE"));
}

TEST(Train, AShortRunHasTwentyLinesOfMetrics) {
  SmallRun run;
  run.training.steps = 40;
  run.training.log_every = 0;
  run.train();
  EXPECT_EQ(run.measured("loss").size(), 20u);
}

TEST(Train, EvaluatesAndSavesTheAverages) {
  SmallRun run;
  run.training.ema = 0.9;
  at::Tensor evaluated;
  run.on_evaluate = [&](std::int64_t) -> Metrics {
    evaluated = nn::host_copy(run.model->parameters().all().front().value);
    return {};
  };
  const fs::path saved = run.train();
  const auto loaded = nn::load_model(saved);
  EXPECT_TRUE(at::equal(loaded.model->parameters().all().front().value.detach(), evaluated));
  EXPECT_FALSE(at::equal(run.model->parameters().all().front().value.detach(), evaluated));
}

TEST(Train, EndsWhenItsMinutesAreOver) {
  SmallRun run;
  run.training.steps = 0;
  run.training.minutes = 0.3 / 60;
  const auto began = std::chrono::steady_clock::now();
  run.train();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  EXPECT_GE(took.count(), 0.3);
  EXPECT_LT(took.count(), 20);
  EXPECT_GE(run.measured("loss").size(), 1u);  // many, but for a machine that is very busy
}

TEST(Train, NoticesDivergenceBeforeItSaves) {
  SmallRun run;
  run.optimizer.lr = 1e30;
  run.training.log_every = 1000;
  run.training.checkpoint_every = 3;
  const std::string error = error_of([&] { run.train(); });
  EXPECT_CONTAINS(error, "training has diverged: at step 3");
  EXPECT_EQ(model_files::newest_checkpoint(run.path()), std::nullopt);
}

TEST(Train, WritesNothingWithoutAFolder) {
  SmallRun run;
  run.model = nn::make_model(small_model(run.data), 1);
  bool evaluated = false;
  const fs::path saved = train({.model = *run.model,
                                .objective = *run.objective,
                                .data = run.data,
                                .optimizer = run.optimizer,
                                .training = run.training,
                                .seed = 1,
                                .about = {},
                                .group = run.group,
                                .quiet = true,
                                .on_evaluate = [&](std::int64_t) -> Metrics {
                                  evaluated = true;
                                  return {};
                                }});
  EXPECT_EQ(saved, "");
  EXPECT_FALSE(evaluated);
}

// In a process of its own: what was asked for once cannot be taken back.
TEST(TrainDeathTest, SavesAndStopsWhenAsked) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto stopped = [] {
    SmallRun run;
    run.training.steps = 1000000;
    run.training.evaluate_every = 5;
    run.on_evaluate = [](std::int64_t) -> Metrics {
      ::raise(SIGINT);
      return {};
    };
    catch_interrupts();
    try {
      run.train();
    } catch (const Interrupted& error) {
      fmt::print(stderr, "{}\n", error.what());
      const bool saved = fs::exists(run.path() / "checkpoint-6/DONE");
      fs::remove_all(run.temporary.path());
      std::_Exit(saved ? 0 : 1);
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(stopped(), testing::ExitedWithCode(0), "interrupted at step 6; saved .*checkpoint-6");
}

// The process was killed before it had saved anything.
TEST(Train, ResumingBeforeTheFirstCheckpointMeasuresAnew) {
  SmallRun run;
  run.train();
  ASSERT_EQ(run.measured("loss"), (StepNumbers{2, 4, 6}));
  fs::remove_all(run.path() / "checkpoint-6");
  run.train(/*resume=*/true);
  EXPECT_EQ(run.measured("loss"), (StepNumbers{2, 4, 6}));
}

// Long before the first line of metrics.
TEST(Train, SaysHowItGoesAfterTheFirstStep) {
  SmallRun run;
  run.quiet = false;
  run.training.log_every = 1000;
  testing::internal::CaptureStderr();
  run.train();
  const std::string said = testing::internal::GetCapturedStderr();
  const std::string first = said.substr(0, said.find('\n'));
  EXPECT_CONTAINS(first, "step 1/6   17%  ");
  EXPECT_CONTAINS(first, " left  loss ");
  EXPECT_CONTAINS(first, " tokens/s");
  EXPECT_EQ(first.find("  1 tokens/s"), std::string::npos) << first;  // measured by that step
  EXPECT_CONTAINS(said, "step 6/6  100%  0s left  loss ");
}

}  // namespace
}  // namespace mgdm::training
