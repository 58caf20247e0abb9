#include "reproduction/reproduce.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/progress.h"
#include "base/text.h"
#include "config/settings.h"
#include "reproduction/test_support.h"
#include "reproduction/trained.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

TEST_F(Reproduction, MeasuresOnceAndShowsThePaperBesideIt) {
  const Plan plan = small_plan("quick-planning-ar", "quick-planning-mgdm");
  const Table table = reproduce(plan, context_);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1].values[1].ours, 100);
  EXPECT_EQ(table.rows[1].values[1].paper, 53);
  const auto cells = [&] {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(context_.out / "cells"))
      found.push_back(entry.path());
    return found;
  };
  ASSERT_EQ(cells().size(), 2u);
  for (const fs::path& file : cells()) {  // what stands there is what a second call shows
    Json json = Json::parse(read_file(file));
    json["accuracy_by_planning_distance"]["3"]["accuracy_paper"] = 0.25;
    write_file(file.string(), json.dump());
  }
  EXPECT_EQ(reproduce(plan, context_).rows[1].values[1].ours, 25);
  context_.limit = 4;  // another measurement
  EXPECT_NE(reproduce(plan, context_).rows[1].values[1].ours, 25);
  EXPECT_EQ(cells().size(), 4u);

  const auto files = write_table(table, context_);
  ASSERT_EQ(files.size(), 3u);
  const std::string text = read_file(files[0]);
  EXPECT_CONTAINS(text, "| 1, paper | 1, here |");
  EXPECT_CONTAINS(text, "mgdm generate planning --split test --seed 5 --nodes 4 --count 1000");
  EXPECT_CONTAINS(text,
                  "mgdm eval --model quick-planning-mgdm --data planning-nodes-4.jsonl --limit 12");
  EXPECT_CONTAINS(text, "at most 12 puzzles per cell");
  EXPECT_TRUE(read_file(files[2]).starts_with("<svg"));
}

TEST_F(Reproduction, TrainsWhatIsMissing) {
  const Plan plan = small_plan("quick/planning-mgdm", "quick-planning-ar");
  const Table without = reproduce(plan, context_);
  EXPECT_CONTAINS(without.rows[0].values[0].note, "not trained yet: mgdm train");
  EXPECT_FALSE(without.rows[0].values[0].ours);
  EXPECT_TRUE(without.rows[1].values[0].ours);
  EXPECT_CONTAINS(without.notes.at(0), "cannot train");
  EXPECT_CONTAINS(forecast(plan, context_), "this program cannot train");

  train_by_copying("quick-planning-mgdm");
  const std::string before = forecast(plan, context_);
  EXPECT_CONTAINS(before, "train quick/planning-mgdm");
  const auto steps = planned_steps(spec::read_recipe(recipe_file("quick/planning-mgdm"), {}));
  EXPECT_CONTAINS(before, "about " + format_duration(0.5 * static_cast<double>(steps)));
  EXPECT_TRUE(requests_.empty());
  const Table with = reproduce(plan, context_);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_FALSE(requests_[0].resume);
  EXPECT_EQ(requests_[0].out, (context_.runs / "planning-mgdm").string());
  EXPECT_EQ(with.rows[0].values[1].ours, 100);
  EXPECT_EQ(with.rows[0].values[1].note, "");
  reproduce(plan, context_);
  EXPECT_EQ(requests_.size(), 1u);  // it is trained
  EXPECT_CONTAINS(forecast(plan, context_), "takes about 0s here");
}

TEST_F(Reproduction, SaysBeforehandHowLongTrainingTakes) {
  const Plan plan = small_plan("quick/planning-mgdm", "quick-planning-ar");
  train_by_copying("quick-planning-mgdm");
  const auto train = workers_.on_train;
  std::string before;
  workers_.on_train = [&](const spec::RunRequest& request) {
    before = testing::internal::GetCapturedStderr();
    testing::internal::CaptureStderr();
    train(request);
  };
  context_.quiet = false;
  // Three quarters of it are done.
  const auto steps = planned_steps(spec::read_recipe(recipe_file("quick/planning-mgdm"), {}));
  make_run(context_.runs / "planning-mgdm", "quick-planning-ar", static_cast<int>(steps * 3 / 4));
  const std::string about = format_duration(0.5 * static_cast<double>(steps) / 4);
  testing::internal::CaptureStderr();
  reproduce(plan, context_);
  EXPECT_CONTAINS(before, "| train quick/planning-mgdm ");
  EXPECT_CONTAINS(before, "training takes about " + about + " here in all");
  EXPECT_CONTAINS(testing::internal::GetCapturedStderr(), "2 evaluations to do");
}

TEST_F(Reproduction, CountsTheTokensThatAreReadAndWritten) {
  Plan plan = small_plan("quick-planning-mgdm", "quick-planning-ar");
  for (PlanRow& row : plan.rows) {
    row.cells[0].quantity = Quantity::kPromptTokens;
    row.cells[1].quantity = Quantity::kGeneratedTokens;
  }
  for (const TableRow& row : reproduce(plan, context_).rows) {
    EXPECT_NEAR(row.values[0].ours.value(), 31, 4);  // seven edges, and the two nodes
    EXPECT_NEAR(row.values[1].ours.value(), 13, 4);  // three or four edges
  }
}

TEST_F(Reproduction, ABudgetShortensAndSaysSo) {
  const Plan plan = small_plan("frontier/planning", "quick-planning-ar");
  train_by_copying("quick-planning-mgdm", /*seconds=*/384);
  context_.budget = 600;
  const Table table = reproduce(plan, context_);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].out, (context_.runs / "planning-short").string());
  // Four fifths of the budget are for trainings, and of those four fifths for steps.
  EXPECT_TRUE(contains(requests_[0].overrides, "training.minutes=6.4"));
  EXPECT_TRUE(contains(requests_[0].overrides, "training.steps=0"));
  EXPECT_CONTAINS(table.rows[0].values[0].note, "2000 steps of 5000");
  EXPECT_CONTAINS(to_markdown(table), "given 10m 00s in all");
  EXPECT_CONTAINS(to_markdown(table),
                  "mgdm train recipes/frontier/planning.toml training.epochs=0 training.steps=0 "
                  "training.minutes=6.4 data.held_out=0 ");
  context_.budget = 0;  // now the whole of it, in a run of its own
  reproduce(plan, context_);
  EXPECT_EQ(requests_.at(1).out, (context_.runs / "planning").string());
  EXPECT_CONTAINS(reproduce(plan, context_).rows[0].values[0].note,
                  "unfinished: step 2000 of 5000");
  EXPECT_TRUE(requests_.at(2).resume);
}

// Somebody has tried something in the folder that is the recipe's own.
TEST_F(Reproduction, ARunThatWasChangedIsNotTakenForTheRecipe) {
  const Plan plan = small_plan("quick/planning-mgdm", "quick-planning-ar");
  train_by_copying("quick-planning-mgdm");
  reproduce(plan, context_);
  const fs::path config = context_.runs / "planning-mgdm/config.toml";
  const auto keep_config = [&](const std::vector<std::string>& overrides) {
    spec::Recipe run = spec::read_recipe(recipe_file("quick/planning-mgdm"), overrides);
    write_file(config.string(), config::Fields(run).dump());
  };
  keep_config({"evaluation.count=5"});  // which is beside training
  EXPECT_EQ(find_trained(context_, "quick/planning-mgdm")->note.find("instead of"),
            std::string::npos);
  keep_config({"objective.beta=7"});
  const auto changed = find_trained(context_, "quick/planning-mgdm");
  EXPECT_CONTAINS(changed->note, "objective.beta = 7.0 instead of ");
  EXPECT_CONTAINS(changed->command, " 'objective.beta=7.0'");
}

TEST_F(Reproduction, SaysHowToGoOnWhenInterrupted) {
  Plan plan = small_plan("quick/planning-mgdm", "quick-planning-ar");
  const auto hint = [&] {
    try {
      reproduce(plan, context_);
    } catch (const Interrupted& interrupted) {
      return interrupted.hint();
    }
    return std::string("not interrupted");
  };
  context_.workers = &workers_;
  workers_.on_train = [](const spec::RunRequest&) { throw Interrupted("Ctrl-C"); };
  EXPECT_CONTAINS(hint(), "the same command goes on");
  context_.workers = nullptr;
  plan.make = [](const Context&, const TimeLeft&) -> std::vector<TableRow> {
    throw Interrupted("Ctrl-C");  // in an evaluation
  };
  EXPECT_CONTAINS(hint(), "the same command goes on");
}

// What a budget has trained is gone on with until it has had its share, and not again.
TEST_F(Reproduction, ABudgetGoesOnWithWhatWasInterrupted) {
  const Plan plan = small_plan("frontier/planning", "quick/planning-mgdm");
  context_.limit = 2;
  context_.budget = 600;  // 240 s for each
  train_by_copying("quick-planning-mgdm", /*seconds=*/100);
  const Table table = reproduce(plan, context_);
  EXPECT_EQ(requests_.size(), 2u);
  EXPECT_TRUE(contains(requests_[0].overrides, "training.minutes=3.2"));
  EXPECT_CONTAINS(table.rows[0].values[0].note, "interrupted before its end");
  train_by_copying("quick-planning-mgdm", /*seconds=*/293);
  EXPECT_CONTAINS(reproduce(plan, context_).rows[0].values[0].note, "the schedule shortened");
  ASSERT_EQ(requests_.size(), 4u);
  EXPECT_TRUE(requests_[3].resume);
  EXPECT_TRUE(contains(requests_[3].overrides, "training.minutes=4.86667"));  // after those 100 s
  reproduce(plan, context_);
  EXPECT_EQ(requests_.size(), 4u);
  context_.budget = 6000;  // more time trains longer
  const std::string before = find_trained(context_, "frontier/planning")->command;
  const auto trains = std::exchange(workers_.on_train, [](const spec::RunRequest&) {
    throw Interrupted("Ctrl-C");  // while data is prepared
  });
  EXPECT_THROW(reproduce(plan, context_), Interrupted);
  EXPECT_EQ(find_trained(context_, "frontier/planning")->command, before);
  workers_.on_train = trains;
  reproduce(plan, context_);
  EXPECT_EQ(requests_.size(), 6u);
}

// Steps that take long here get fewer examples.
TEST_F(Reproduction, ABudgetOfSecondsStillTrains) {
  const Plan plan = small_plan("quick/planning-mgdm", "quick-planning-ar");
  train_by_copying("quick-planning-mgdm", 0.01);
  context_.budget = 0.0125;
  const Table table = reproduce(plan, context_);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_TRUE(contains(requests_[0].overrides, "training.minutes=0.000133333"));
  EXPECT_TRUE(contains(requests_[0].overrides, "training.batch=8"));
  // 8 examples are seen in 0.016 of a step of 512; twice as many are made, and some batches more.
  EXPECT_TRUE(contains(requests_[0].overrides, "data.count=80"));
  EXPECT_CONTAINS(table.rows[0].values[0].note, "on 8 examples at a time instead of");
}

// Nothing is trained for a file that is not there, and no other file is taken for it.
TEST_F(Reproduction, AFileOfOthersIsAskedForFirst) {
  train_by_copying("quick-planning-mgdm");
  const Plan plan = find_plan("game24");
  EXPECT_EQ(forecast(plan, context_).find("train "), std::string::npos);
  const Table without = reproduce(plan, context_);
  EXPECT_TRUE(requests_.empty());
  for (const TableRow& row : without.rows) {
    if (!row.values[0].paper || *row.values[0].paper == 76) {
      EXPECT_EQ(row.values[0].note, "the file cd4_tot24.jsonl is not at hand");
    }
  }
  context_.files = folder_.path();
  write_file((folder_.path() / "cd4_tot24.jsonl").string(),
             "{\"input\": \"4,5,6,10,24\"}\n{\"input\": \"4,5,6,10,25\"}\n");
  EXPECT_CONTAINS(forecast(plan, context_), "train paper/countdown-4-base-mgdm");
  EXPECT_CONTAINS(reproduce(plan, context_).rows.back().values[0].note,
                  "cd4_tot24.jsonl:2: '4,5,6,10,25' is none of the puzzles");
}

TEST_F(Reproduction, WhatABudgetHasNoTimeForIsLeftOut) {
  const Plan plan = small_plan("quick/planning-mgdm", "quick-planning-ar");
  train_by_copying("quick-planning-mgdm");
  workers_.step_seconds = [this](const spec::Recipe&) {
    now_ += 3;  // it takes time to find out
    return 512;
  };
  context_.budget = 12;
  testing::internal::CaptureStderr();
  const Table table = reproduce(plan, context_);
  EXPECT_CONTAINS(testing::internal::GetCapturedStderr(), "not trained: the smallest step");
  EXPECT_TRUE(requests_.empty());
  // (12 s * 0.8 - 3 s) * 0.8, and a step of 8 of the 512 examples takes 8 s.
  EXPECT_EQ(
      table.rows[0].values[0].note,
      "not trained: the smallest step takes about 8.0 s here, the budget leaves 5.3 s for it; a "
      "hundred of them want --budget 21m");
  EXPECT_TRUE(table.rows[1].values[0].ours);
}

// Whatever takes longer than was thought (data, saving, the last evaluation) is taken from what
// comes after it: a budget is the time of the whole table.
TEST_F(Reproduction, ABudgetIsTheWholeTime) {
  Plan plan = small_plan("frontier/planning", "quick/planning-mgdm");
  plan.rows.push_back(small_plan("quick/planning-ar", "quick-planning-ar").rows[0]);
  train_by_copying("quick-planning-mgdm");
  const auto train = workers_.on_train;
  std::vector<double> minutes;
  workers_.on_train = [&](const spec::RunRequest& request) {
    train(request);
    minutes.push_back(spec::read_recipe(request.recipe, request.overrides).training.minutes);
    now_ += 60 * minutes.back() + 200;  // as long as held-out examples and a checkpoint take
  };
  workers_.step_seconds = [this](const spec::Recipe&) {
    now_ += 20;
    return 0.5;
  };
  context_.budget = 600;
  const double began = now_;
  testing::internal::CaptureStderr();
  const Table table = reproduce(plan, context_);
  testing::internal::GetCapturedStderr();
  // 480 s for three: 160 s, less 20 s to find out, four fifths of that for steps. The others have
  // what is left: 480 - 20 - 112 - 200 = 148 s.
  ASSERT_EQ(minutes.size(), 2u);
  EXPECT_NEAR(60 * minutes[0], 112, 0.1);
  EXPECT_NEAR(60 * minutes[1], 0.8 * (148.0 / 2 - 20), 0.1);
  EXPECT_LE(now_ - began, 600);
  EXPECT_EQ(table.rows[2].values[0].note, "not trained: the budget was spent before");
  EXPECT_TRUE(table.rows[1].values[0].ours);
  for (const spec::RunRequest& request : requests_) {
    EXPECT_TRUE(contains(request.overrides, "data.held_out=0"));
    EXPECT_TRUE(contains(request.overrides, "evaluation.count=0"));
  }
  EXPECT_CONTAINS(to_markdown(table), "Shortened: this call was given 10m 00s in all");
}

TEST_F(Reproduction, NothingIsEvaluatedWhenTheBudgetIsSpent) {
  const Plan plan = small_plan("quick/planning-mgdm", "quick-planning-ar");
  train_by_copying("quick-planning-mgdm");
  const auto train = workers_.on_train;
  workers_.on_train = [&](const spec::RunRequest& request) {
    train(request);
    now_ += 1000;
  };
  context_.budget = 600;
  const Table table = reproduce(plan, context_);
  EXPECT_CONTAINS(table.rows[0].values[0].note, "not evaluated: the budget was spent before");
  EXPECT_FALSE(table.rows[1].values[0].ours);
  now_ = 0;  // called again, it goes on with the evaluations
  EXPECT_TRUE(reproduce(plan, context_).rows[1].values[0].ours);
  EXPECT_EQ(requests_.size(), 1u);
}

// A result that a budget cut short does not stand for a whole one: calls go on with it, and come to
// what one call without a budget measures.
TEST_F(Reproduction, WhatWasCutShortIsGoneOnWith) {
  const Plan plan = small_plan("quick-planning-ar", "quick-planning-mgdm");
  context_.limit = 20;
  context_.clock = [] { return 0; };
  context_.budget = 1e-9;  // a few puzzles of each are answered however short it is
  const auto note = [&] { return reproduce(plan, context_).rows[0].values[0].note; };
  EXPECT_EQ(note(), "the first 4 puzzles of 20");
  EXPECT_CONTAINS(forecast(plan, context_), "to be measured");
  EXPECT_EQ(note(), "the first 8 puzzles of 20");
  context_.budget = 600;
  context_.clock = [this] { return now_ += 700; };  // nothing is left: what is known stays
  EXPECT_EQ(note(), "the first 8 puzzles of 20");
  context_.budget = 1e-9;
  context_.clock = [] { return 0; };
  const Table cut = reproduce(plan, context_);
  EXPECT_CONTAINS(to_markdown(cut), "what calls before it trained and measured counts, too");
  EXPECT_CONTAINS(to_markdown(cut), "planning-nodes-4.jsonl --limit 12");
  context_.budget = 0;
  const Table whole = reproduce(plan, context_);
  EXPECT_EQ(whole.rows[0].values[0].note, "");
  EXPECT_CONTAINS(forecast(plan, context_), "| measured");
  context_.out = folder_.path() / "at-once";
  const Table at_once = reproduce(plan, context_);
  for (const std::size_t row : {0u, 1u})
    for (const std::size_t column : {0u, 1u}) {
      EXPECT_EQ(whole.rows[row].values[column].ours, at_once.rows[row].values[column].ours);
      EXPECT_EQ(whole.rows[row].values[column].n, at_once.rows[row].values[column].n);
      EXPECT_GT(whole.rows[row].values[column].n, cut.rows[row].values[column].n);
    }
}

TEST_F(Reproduction, TrainsWhereAndHowItIsAsked) {
  train_by_copying("quick-planning-mgdm");
  context_.device = "cpu";
  context_.threads = 2;
  reproduce(small_plan("quick/planning-mgdm", "quick-planning-ar"), context_);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_TRUE(contains(requests_[0].overrides, "training.device=cpu"));
  EXPECT_EQ(requests_[0].threads, 2);
  EXPECT_TRUE(requests_[0].quiet);
}

TEST_F(Reproduction, ATrainingThatFailsIsANote) {
  context_.workers = &workers_;
  workers_.on_train = [](const spec::RunRequest&) { throw Error("no room on the disk"); };
  workers_.step_seconds = [](const spec::Recipe&) { return 0.5; };
  testing::internal::CaptureStderr();
  const Table table = reproduce(small_plan("quick/planning-mgdm", "quick-planning-ar"), context_);
  EXPECT_CONTAINS(testing::internal::GetCapturedStderr(), "no room on the disk");
  EXPECT_EQ(table.rows[0].values[0].note, "training failed: no room on the disk");
  EXPECT_TRUE(table.rows[1].values[0].ours);
}

TEST_F(Reproduction, LlamaNeedsItsWeights) {
  const Plan plan = small_plan("paper/planning-llama-7b-lora", "quick-planning-ar");
  train_by_copying("quick-planning-mgdm");
  const Table without = reproduce(plan, context_);
  EXPECT_TRUE(requests_.empty());
  EXPECT_EQ(without.rows[0].values[0].paper, 51);
  EXPECT_EQ(without.rows[0].values[0].note, "needs the weights: --weights llama-7b=DIR");
  const std::string before = forecast(plan, context_);
  EXPECT_CONTAINS(before, "needs the weights: --weights llama-7b=DIR");
  EXPECT_CONTAINS(before, "about 32m 33s");  // 3906 steps of half a second
  EXPECT_EQ(forecast(plan, context_, /*times_all=*/false).find("about 32m"), std::string::npos);
  const std::string folder = (folder_.path() / "llama").string();
  make_folder(folder);
  write_file(folder + "/config.json", "{}");
  context_.weights = parse_weights({"llama-7b=" + folder});
  reproduce(plan, context_);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_TRUE(contains(requests_[0].overrides, "init=" + folder));
  for (const std::string word : {"llama-7b", "llama-7b=", "lama-7b=x", "=x"})
    EXPECT_THROW(parse_weights({word}), UsageError) << word;
  EXPECT_THROW(parse_weights({"llama-7b=" + folder, "llama-7b=" + folder}), UsageError);
  EXPECT_CONTAINS(error_of([] { parse_weights({"llama-13b=/nowhere"}); }),
                  "no config.json in /nowhere");
}

TEST_F(Reproduction, AFileThatIsNotAtHandIsANote) {
  Plan plan{{"files", "Files", "nowhere"}};
  plan.frame.columns = {"accuracy"};
  Cell cell{.model = "countdown-4"};
  cell.test = {.task = "countdown-4", .from = TestSet::From::kFile, .file = "none.jsonl"};
  plan.rows = {{"countdown", {cell}}};
  EXPECT_CONTAINS(reproduce(plan, context_).rows[0].values[0].note,
                  "the file none.jsonl is not at hand");
  EXPECT_CONTAINS(forecast(plan, context_), "none.jsonl is not at hand");
}

}  // namespace
}  // namespace mgdm::reproduction
