#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "inference/models.h"
#include "model_files/history.h"
#include "reproduction/puzzles.h"
#include "reproduction/reproduce.h"
#include "reproduction/test_support.h"
#include "reproduction/trained.h"
#include "reproduction/trainings.h"
#include "tasks/all_tasks.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

TEST_F(Reproduction, PlansNameWhatThereIs) {
  std::set<std::string> names, seen;
  const auto models = inference::named_models();
  // May be shipped or not.
  const std::set<std::string> expected{"planning-ar", "countdown-4-ar", "sudoku-ar"};
  for (const Plan& each : plans()) {
    const Plan plan = with_rows(each);
    SCOPED_TRACE(plan.frame.name);
    EXPECT_TRUE(names.insert(plan.frame.name).second);
    EXPECT_EQ(&find_plan(plan.frame.name), &each);
    EXPECT_NE(plan.rows.empty(), !plan.make);
    EXPECT_TRUE(each.rows.empty() || !each.rows_of_models);
    for (const std::string& model : plan.models) EXPECT_NO_THROW(recipe_file(model));
    for (const PlanRow& row : plan.rows) {
      EXPECT_EQ(row.cells.size(), plan.frame.columns.size()) << row.label;
      for (const Cell& cell : row.cells) {
        if (cell.model.empty() || !seen.insert(cell.model + cell.test.task).second) continue;
        if (!is_recipe(cell.model)) {
          EXPECT_TRUE(models.contains(cell.model) || expected.contains(cell.model)) << cell.model;
          continue;
        }
        const spec::Recipe recipe = spec::read_recipe(recipe_file(cell.model), {});
        EXPECT_EQ(recipe.task, cell.test.task) << cell.model;
        EXPECT_GT(planned_steps(recipe), 0) << cell.model;
        EXPECT_EQ(weights_of(cell.model).empty(), recipe.model.lora.rank == 0) << cell.model;
      }
    }
  }
  EXPECT_EQ(names.size(), 23u);
  EXPECT_CONTAINS(error_of([] { find_plan("countdwon"); }), "did you mean 'countdown'?");
  EXPECT_EQ(planned_steps(spec::read_recipe(recipe_file("paper/planning-tiny-mgdm-1200"), {})),
            58594);
}

// It grows with the models, and says what is not there.
TEST_F(Reproduction, ShippedModelsAreThoseThatAreThere) {
  const fs::path folder = folder_.path() / "models";
  make_folder(folder);
  ::setenv("MGDM_MODELS", folder.c_str(), 1);
  const auto working_folder = fs::current_path();
  fs::current_path(folder_.path());  // which has no models/
  const auto copy = [&](const std::string& model, const std::string& name) {
    fs::copy(MGDM_SOURCE_DIR "/models/" + model, folder / name, fs::copy_options::recursive);
  };
  copy("quick-planning-ar", "quick-planning-ar");
  context_.limit = 2;
  const Table few = reproduce(find_plan("shipped"), context_);
  EXPECT_EQ(few.rows.size(), 1u);
  EXPECT_CONTAINS(to_markdown(few), "these models are not here: countdown-3, countdown-4, ");
  EXPECT_CONTAINS(forecast(find_plan("shipped"), context_), "this model is not here");
  copy("planning", "planning-ar");
  const Table more = reproduce(find_plan("shipped"), context_);
  fs::current_path(working_folder);
  ASSERT_EQ(more.rows.size(), 2u);
  EXPECT_EQ(more.rows[0].label, "planning-ar, as released");
  EXPECT_EQ(more.rows[0].values[1].ours, 100);
  EXPECT_FALSE(more.rows[0].values[2].ours);  // one try is all there is
  EXPECT_EQ(more.rows[0].values[3].ours, 1);
  EXPECT_NEAR(*more.rows[0].values[4].ours, 0.911, 0.001);
  EXPECT_EQ(to_figure(more).find("passes"), std::string::npos);
}

// A folder of its own, with copies of what we ship under other names.
class ShippedFigures : public Reproduction {
 protected:
  void SetUp() override {
    Reproduction::SetUp();
    make_folder(models_);
    ::setenv("MGDM_MODELS", models_.c_str(), 1);
    before_ = fs::current_path();
    fs::current_path(folder_.path());  // which has no models/
    context_.limit = 4;
  }
  void TearDown() override { fs::current_path(before_); }

  void shelve(const std::string& model, const std::string& name) const {
    fs::copy(MGDM_SOURCE_DIR "/models/" + model, models_ / name, fs::copy_options::recursive);
  }

  const fs::path models_ = folder_.path() / "models";
  fs::path before_;
};

TEST_F(ShippedFigures, PassesAndLoopsOfWhatDiffuses) {
  shelve("quick-planning-mgdm", "small");
  shelve("quick-planning-ar", "small-ar");
  const Table passes = reproduce(find_plan("shipped-passes"), context_);
  ASSERT_EQ(passes.rows.size(), 1u);
  EXPECT_EQ(passes.rows[0].label, "small");
  ASSERT_EQ(passes.columns.size(), 8u);
  const std::vector<Value>& values = passes.rows[0].values;
  EXPECT_EQ(values[5].ours, 100);
  EXPECT_EQ(values[5].n, 4u);
  EXPECT_FALSE(values[5].x);
  EXPECT_CONTAINS(values[5].commands.back(), "--decoding topk --steps 20");
  EXPECT_CONTAINS(values[5].commands.front(), "planning --split test --seed 77 --nodes 4");
  EXPECT_CONTAINS(values[6].commands.back(), "--decoding threshold");
  EXPECT_EQ(values[6].x, values[7].ours);  // the ring stands at its passes
  EXPECT_LT(*values[6].x, 20);
  EXPECT_CONTAINS(to_figure(passes), "passes by TopK");
  const Table loops = reproduce(find_plan("shipped-loops"), context_);
  ASSERT_EQ(loops.rows.size(), 1u);
  EXPECT_EQ(loops.rows[0].label, "small (1 = 4 loops)");
  EXPECT_CONTAINS(loops.rows[0].values[0].commands.back(), "--steps 5 --loops 2");
  EXPECT_CONTAINS(loops.rows[0].values[2].commands.back(), "--steps 5 --loops 8");
  EXPECT_EQ(loops.rows[0].values[1].ours, 100);
  EXPECT_NE(to_figure(loops), "");
  EXPECT_CONTAINS(forecast(find_plan("shipped-loops"), context_), "measured");
}

// Shown only as a plan: what a larger folder would be measured on.
TEST_F(ShippedFigures, SudokuHasTwoKindsOfPuzzles) {
  shelve("sudoku", "sudoku");
  shelve("planning", "planning");
  const Plan plan = with_rows(find_plan("shipped-passes"));
  ASSERT_EQ(plan.rows.size(), 3u);
  EXPECT_EQ(plan.rows[0].cells[0].test.options, std::vector<std::string>{"nodes=6"});
  EXPECT_EQ(plan.rows[1].label, "sudoku, random minimal");
  EXPECT_EQ(plan.rows[2].cells[0].test.options.back(), "guesses=10..");
  EXPECT_TRUE(with_rows(find_plan("shipped-errors")).rows.empty());
}

TEST_F(ShippedFigures, ErrorsOfPairs) {
  shelve("quick-planning-mgdm", "small-mgdm");
  EXPECT_TRUE(reproduce(find_plan("shipped-errors"), context_).rows.empty());
  shelve("quick-planning-ar", "small-ar");
  context_.limit = 40;
  const Table table = reproduce(find_plan("shipped-errors"), context_);
  ASSERT_GE(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].label, "small: wrong answers");
  EXPECT_EQ(table.rows[1].label, "small: wrong branch");
  EXPECT_GT(*table.rows[0].values[0].ours, 0);
  EXPECT_EQ(table.rows[0].values[1].ours, 0);
  EXPECT_GE(*table.rows[0].values[0].ours, *table.rows[1].values[0].ours);
  for (const TableRow& row : table.rows)  // what does not occur is left out
    EXPECT_GT(*row.values[0].ours + *row.values[1].ours, 0) << row.label;
  // It grows with the models: a countdown pair has its equations. (Both are the same model here but
  // for what their cards say.)
  shelve("countdown-3", "count");
  shelve("countdown-3", "count-ar");
  const fs::path config = models_ / "count-ar/config.json";
  std::string text = read_file(config);
  const auto replace = [&](const std::string& was, const std::string& is) {
    text.replace(text.find(was), was.size(), is);
  };
  replace("\"objective\": \"mgdm\"", "\"objective\": \"ar\"");
  replace("\"causal\": false", "\"causal\": true");
  replace("\"shift\": false", "\"shift\": true");
  write_file(config.string(), text);
  fs::remove(config.parent_path() / "checksums.txt");
  const Plan plan = with_rows(find_plan("shipped-errors"));
  ASSERT_EQ(plan.rows.size(), 11u + 6u);
  EXPECT_EQ(plan.rows[0].label, "count: wrong answers");
  EXPECT_EQ(plan.rows[1].label, "count: planning error");
  EXPECT_EQ(plan.rows[2].label, "… in equation 1");
  EXPECT_EQ(plan.rows[3].cells[1].place, 2);
  EXPECT_EQ(plan.rows[4].label, "count: calculation error");
  EXPECT_EQ(plan.rows[4].cells[0].model, "count-ar");
  EXPECT_EQ(plan.rows[4].cells[1].model, "count");
}

TEST_F(ShippedFigures, AccuracyOverMinutesOfTraining) {
  for (const char* name : {"a", "b", "c"}) shelve("quick-planning-mgdm", name);
  model_files::write_history(
      models_ / "a",
      {{10, 1, 0.5, {}, 0.25}, {20, 5, 0.5, {}, 0.5}, {40, 20, 0.5, {}, 0.75, 0.3, 0.3}});
  model_files::write_history(models_ / "b", {{10, 1, {}, {}, {}, 0.1, 0.1},
                                             {11, 1.05, {}, {}, {}, 0.2, 0.2},
                                             {20, 10, {}, {}, 0.5, 0.9, 0.9}});
  const Table table = reproduce(find_plan("shipped-training"), context_);
  ASSERT_EQ(table.rows.size(), 3u);
  const TableRow &tokens = table.rows[0], &puzzles = table.rows[1];
  EXPECT_EQ(tokens.label, "a: tokens");
  EXPECT_EQ(tokens.values[0].ours, 25);  // 5 % of 20 minutes
  EXPECT_EQ(tokens.values[0].x, 1);
  EXPECT_FALSE(tokens.values[1].ours);
  EXPECT_EQ(tokens.values[4].ours, 50);
  EXPECT_EQ(tokens.values[19].ours, 75);
  EXPECT_EQ(tokens.values[20].ours, 30);  // puzzles at the end: a ring
  EXPECT_EQ(tokens.values[20].x, 20);
  EXPECT_EQ(tokens.values[21].ours, 20);
  EXPECT_FALSE(tokens.values[21].x);  // no point of the figure
  EXPECT_EQ(puzzles.label, "b: puzzles");
  EXPECT_EQ(puzzles.values[1].ours, 10);
  EXPECT_EQ(puzzles.values[2].ours, 20);
  EXPECT_EQ(puzzles.values[19].ours, 90);
  EXPECT_EQ(table.rows[2].values[0].note, "no history.jsonl beside its weights");
  EXPECT_CONTAINS(to_figure(table), "minutes of training");
}

// Sudoku by what others say of its difficulty, and by guesses; several tries stand apart.
TEST_F(Reproduction, HardPuzzlesCountByDifficulty) {
  const fs::path files = folder_.path() / "files" / "sudoku";
  make_folder(files);
  const auto task = tasks::make_task("sudoku", {"difficulty=hard"});
  std::string lines;
  for (std::uint32_t i = 0; i < 3; ++i)
    lines += fmt::format("abc{} {} {}\n", i, task->generate(1, tasks::Split::kTest, i).input,
                         i == 1 ? 9.1 : 5.9);
  write_file((files / "rated.txt").string(), lines);
  context_.files = folder_.path() / "files";
  Plan plan{{"rated", "Rated", "nowhere"}};
  plan.frame.columns = {"all", "hard", "none", "tries"};
  Cell cell{.model = "sudoku", .quantity = Quantity::kAccuracy};
  cell.test = {.task = "sudoku",
               .from = TestSet::From::kFile,
               .file = "rated.txt",
               .count = 3,
               .rated = true};
  std::vector<Cell> cells(4, cell);
  for (std::size_t i : {1u, 2u}) {
    cells[i].quantity = Quantity::kPart;
    cells[i].by = "accuracy_by_rating";
    cells[i].part = i == 1 ? "8 and more" : "below 4";
  }
  cells[3].quantity = Quantity::kBestOfTries;
  cells[3].decoding = {"tries=2", "temperature=0.5", "steps=4", "loops=2"};
  for (Cell& each : cells)
    if (each.decoding.empty()) each.decoding = {"steps=2"};
  plan.rows = {{"sudoku", cells}};
  EXPECT_CONTAINS(forecast(plan, context_),
                  "sudoku on rated.txt --tries 2 --temperature 0.5 --steps 4");
  const std::vector<Value> values = reproduce(plan, context_).rows.at(0).values;
  EXPECT_EQ(values[0].n, 3u);
  EXPECT_EQ(values[1].n, 1u);
  EXPECT_EQ(values[2].note, "none of the puzzles");
  EXPECT_TRUE(values[3].ours);
  EXPECT_CONTAINS(values[3].commands.at(0), "--tries 2 --temperature 0.5");
  write_file((files / "rated.txt").string(),
             "x " + task->generate(1, tasks::Split::kTest, 0).input);
  EXPECT_THROW(ratings_of(cell.test, context_), Error);
}

TEST_F(Reproduction, TablesWithoutModels) {
  context_.budget = 60;  // shortens nothing here
  const Table sizes = reproduce(find_plan("sizes"), context_);
  EXPECT_EQ(to_markdown(sizes).find("Shortened: everything"), std::string::npos);
  context_.budget = 0;
  EXPECT_NEAR(*sizes.rows[0].values[1].ours, 85, 1.5);
  EXPECT_EQ(sizes.rows[3].values[2].ours, 1024);
  context_.limit = 200;
  const Table statistics = reproduce(find_plan("statistics"), context_);
  for (const TableRow& row : statistics.rows)
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const double near = row.label.starts_with("most") ? 8 : row.label == "test puzzles" ? 800 : 1;
      EXPECT_NEAR(*row.values[i].ours, *row.values[i].paper, near) << row.label << " " << i;
    }
  const Table tasks = reproduce(find_plan("tasks"), context_);
  ASSERT_EQ(tasks.rows.size(), 8u);
  EXPECT_EQ(tasks.rows[4].values[0].parts[0].text.size(), 81u);
}

TEST_F(Reproduction, TheLeastDataIsTheFirstThatSolvesADistance) {
  const Plan& plan = find_plan("planning-data");
  const auto value = [](std::optional<double> ours) { return Value{.ours = ours}; };
  std::vector<TableRow> rows(16);  // four methods, four sizes
  for (TableRow& row : rows) row.values.assign(6, value(100));
  for (std::size_t size = 0; size < 4; ++size) rows[size].values[2] = value(50);
  rows[0].values[1] = value(89.9);
  rows[1].values[1] = value(90);
  rows[4].values[3] = value({});  // not known with 10k: nor which is the least
  rows[4].values[3].note = "not trained yet";
  rows[12].values[5] = rows[13].values[5] = value(20);
  const std::vector<TableRow> least = plan.condense(rows);
  ASSERT_EQ(least.size(), 4u);
  EXPECT_EQ(least[0].label, "AR");
  EXPECT_EQ(least[0].values[0].ours, 10);
  EXPECT_EQ(least[0].values[1].ours, 50);
  EXPECT_FALSE(least[0].values[2].ours);
  EXPECT_EQ(least[0].values[2].note, "not with 1M");
  EXPECT_FALSE(least[1].values[3].ours);
  EXPECT_EQ(least[1].values[3].note, "with 10k: not trained yet");
  EXPECT_EQ(least[3].values[5].ours, 100);
  rows[12].values[5].note = "unfinished";  // it may come to solve it
  EXPECT_FALSE(plan.condense(rows)[3].values[5].ours);
  EXPECT_CONTAINS(reproduce(plan, context_).rows.at(3).values.at(5).note, "not trained yet");
}

TEST_F(Reproduction, PredictionsAreMarked) {
  context_.limit = 3;
  const Table table = reproduce(find_plan("predictions"), context_);
  ASSERT_EQ(table.rows.size(), 3u);
  ASSERT_EQ(table.columns.size(), 8u);
  // As the paper prints and marks them.
  const std::vector<Part>& ar = table.rows[0].values[1].parts;
  EXPECT_EQ(ar[0].text, "64/36=2");
  EXPECT_TRUE(ar[0].planning_error && ar[0].calculation_error);
  EXPECT_TRUE(ar[2].planning_error && !ar[2].calculation_error);
  for (const Part& part : table.rows[0].values[2].parts)
    EXPECT_FALSE(part.planning_error || part.calculation_error) << part.text;
  EXPECT_CONTAINS(table.rows[0].values[3].note, "not trained yet");
  const auto task = tasks::make_task("countdown-4");
  for (const TableRow& row : table.rows) {
    std::string answer;
    bool faulty = false;
    for (const Part& part : row.values.back().parts) {
      answer += part.text;
      faulty = faulty || part.planning_error || part.calculation_error;
    }
    EXPECT_EQ(faulty, !task->verify({row.label, "=0"}, answer).correct) << row.label << answer;
  }
}

TEST_F(Reproduction, AccuracyThroughTrainingComesFromTheRuns) {
  const fs::path run = context_.runs / "countdown-4-base-mgdm";
  fs::create_directories(run);
  write_file((run / "metrics.jsonl").string(),
             "{\"step\": 29296, \"accuracy_paper\": 0.25}\n{\"step\": 30000, \"loss\": 1}\n"
             "{\"step\": 58593, \"accuracy_paper\": 0.5}\n{\"step\": 6");
  const Table table = reproduce(find_plan("convergence"), context_);
  const TableRow& row = table.rows.at(3);  // 292,969 steps: 10 and 20 % of them
  EXPECT_FALSE(row.values[0].ours);
  EXPECT_EQ(row.values[1].ours, 25);
  EXPECT_EQ(row.values[2].ours, 25);
  EXPECT_EQ(row.values[3].ours, 50);
  EXPECT_FALSE(row.values[5].ours);
  EXPECT_CONTAINS(table.rows.at(0).values[0].note, "training.evaluate_every");
}

// A budget has runs of its own, with steps of their own.
TEST_F(Reproduction, AccuracyThroughAShortenedTraining) {
  const std::filesystem::path run = context_.runs / "countdown-4-base-mgdm-short";
  make_run(run, "countdown-4", 200);
  write_file((run / "config.toml").string(), "task = \"countdown-4\"\ntraining.minutes = 8.0\n");
  write_file((run / "metrics.jsonl").string(),
             "{\"step\": 100, \"accuracy_paper\": 0.25, \"puzzles\": 8}\n"
             "{\"step\": 200, \"accuracy_paper\": 0.5, \"puzzles\": 8}\n");
  const TableRow row = reproduce(find_plan("convergence"), context_).rows.at(3);
  EXPECT_FALSE(row.values[8].ours);
  EXPECT_EQ(row.values[9].ours, 25);
  EXPECT_EQ(row.values[19].ours, 50);
  EXPECT_CONTAINS(row.values[9].note, "of 200 steps instead of 292969, on 8 puzzles");
}

// It measures on its way as often as there is time for, ten times at most, and never what it need
// not.
TEST_F(Reproduction, ABudgetForAccuracyThroughTraining) {
  train_by_copying("countdown-4");
  double step_seconds = 64;  // a step of 8 of the 1024 examples takes half a second
  workers_.step_seconds = [&](const spec::Recipe&) { return step_seconds; };
  context_.budget = 120;
  reproduce(find_plan("convergence"), context_);
  ASSERT_EQ(requests_.size(), 4u);
  for (const spec::RunRequest& request : requests_) {
    EXPECT_TRUE(contains(request.overrides, "training.batch=8"));
    EXPECT_TRUE(contains(request.overrides, "data.held_out=0"));
  }
  // 24 s for each, three fifths of them for 28.8 steps: two evaluations take a quarter of that.
  EXPECT_TRUE(contains(requests_[0].overrides, "training.minutes=0.24"));
  EXPECT_TRUE(contains(requests_[0].overrides, "training.evaluate_every=15"));
  step_seconds = 640;  // three steps: no evaluation but the last
  context_.runs = folder_.path() / "others";
  reproduce(find_plan("convergence"), context_);
  ASSERT_EQ(requests_.size(), 8u);
  EXPECT_TRUE(contains(requests_[4].overrides, "training.evaluate_every=0"));
}

TEST_F(Reproduction, LossesOfTheHardSubgoal) {
  const Plan& plan = find_plan("hard-subgoal");
  context_.limit = 60;
  EXPECT_CONTAINS(reproduce(plan, context_).rows[0].values[0].note, "not trained yet");
  for (const char* name : {"planning-tiny-ar", "planning-tiny-mgdm-1200"})
    make_run(context_.runs / name, "quick-planning-mgdm", 99999);
  EXPECT_CONTAINS(reproduce(plan, context_).rows[0].values[0].note, "LibTorch");
  context_.workers = &workers_;
  std::vector<evaluation::LossRequest> asked;
  workers_.losses = [&](const evaluation::LossRequest& request) {
    asked.push_back(request);
    const auto task = tasks::make_task("planning");
    for (const tasks::Example& puzzle : request.puzzles)
      EXPECT_EQ(task->abilities().lookahead->planning_distance(puzzle), 3);
    const bool ar = asked.size() == 1;
    const auto losses = [](double loss) {
      evaluation::TokenLosses one;
      one.add(loss, true);
      return one;
    };
    const std::size_t levels = ar ? 1 : 20;
    evaluation::LossProfile profile{{evaluation::LossTable(levels, 1), {}, {}}, {}};
    for (std::size_t t = 0; t < levels; ++t)
      profile.all.at_subgoal.by_level.push_back(losses(ar ? 0.7 : static_cast<double>(t) / 100));
    if (!ar)
      profile.all.at_subgoal.by_context = {{"after", losses(0.2)},
                                           {"before", losses(0.6)},
                                           {"both", losses(0.1)},
                                           {"nothing", losses(0.8)}};
    return profile;
  };
  const Table table = reproduce(plan, context_);
  ASSERT_EQ(table.rows.size(), 7u);
  const auto at = [&](std::size_t row) { return table.rows[row].values[7].ours; };
  EXPECT_EQ(at(0), 0.7);
  EXPECT_EQ(at(1), 0.07);
  EXPECT_NEAR(at(2).value(), 0.095, 1e-12);  // the mean over the levels
  EXPECT_EQ(at(3), 0.6);                     // before, after, both, nothing
  EXPECT_EQ(at(4), 0.2);
  EXPECT_EQ(at(5), 0.1);
  EXPECT_EQ(at(6), 0.8);
  EXPECT_NE(to_figure(table), "");
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].levels, 20);
  EXPECT_GT(asked[0].samples, 50);  // a thousand of x_t, of some ten puzzles
  EXPECT_EQ(asked[0].threads, 1);
  EXPECT_EQ(reproduce(plan, context_).rows[3].values[0].ours, 0.6);
  EXPECT_EQ(asked.size(), 2u);  // measured once
}

}  // namespace
}  // namespace mgdm::reproduction
