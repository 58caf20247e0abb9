#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "formats/test_support.h"
#include "inference/models.h"
#include "reproduction/gather.h"
#include "reproduction/measure.h"
#include "reproduction/puzzles.h"
#include "reproduction/reproduce.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;
using formats::error_of;

class Reproduction : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("MGDM_RECIPES", MGDM_SOURCE_DIR "/recipes", 1);
    ::setenv("MGDM_MODELS", MGDM_SOURCE_DIR "/models", 1);
    context_.out = folder_.path() / "results";
    context_.runs = folder_.path() / "runs";
    context_.limit = 12;
    context_.threads = 1;
    context_.quiet = true;
  }

  // Instead of training: a model that is trained already.
  void train_by_copying(const std::string& model) {
    context_.trainer.train = [this, model](const TrainingOrder& order) {
      orders_.push_back(order);
      const fs::path checkpoint = order.out / "checkpoint-2000";
      fs::create_directories(order.out);
      fs::copy(MGDM_SOURCE_DIR "/models/" + model, checkpoint,
               fs::copy_options::overwrite_existing | fs::copy_options::recursive);
      write_file((checkpoint / "DONE").string(), "");
      write_file((order.out / "config.toml").string(),
                 "task = \"planning\"\ntraining.minutes = 8.0");
    };
    context_.trainer.seconds_per_step = [](const spec::Recipe&) { return 0.5; };
  }

  formats::TemporaryFolder folder_;
  Context context_;
  std::vector<TrainingOrder> orders_;
};

// The AR model beside the diffusion model of README.md.
Plan small_plan(const std::string& first, const std::string& second) {
  Plan plan{{"small", "A small plan", "nowhere"}};
  plan.frame.columns = {"1", "3"};
  plan.frame.chart = Chart::kLines;
  for (const std::string& model : {first, second}) {
    PlanRow row{model, {}};
    for (const int distance : {1, 3}) {
      Cell cell{.paper = 50 + distance, .model = model};
      cell.test = {.task = "planning", .from = TestSet::From::kGenerated, .nodes = 4, .seed = 5};
      cell.quantity = Quantity::kAtDistance;
      cell.place = distance;
      row.cells.push_back(cell);
    }
    plan.rows.push_back(row);
  }
  return plan;
}

TEST_F(Reproduction, PlansNameWhatThereIs) {
  std::set<std::string> names, seen;
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(plan.frame.name);
    EXPECT_TRUE(names.insert(plan.frame.name).second);
    EXPECT_EQ(&find_plan(plan.frame.name), &plan);
    EXPECT_NE(plan.rows.empty(), !plan.make);
    for (const std::string& model : plan.models) EXPECT_NO_THROW(recipe_file(model));
    for (const PlanRow& row : plan.rows) {
      EXPECT_EQ(row.cells.size(), plan.frame.columns.size()) << row.label;
      for (const Cell& cell : row.cells) {
        if (cell.model.empty() || !seen.insert(cell.model + cell.test.task).second) continue;
        if (!is_recipe(cell.model)) {
          EXPECT_NO_THROW(inference::find_model(cell.model));
          continue;
        }
        const spec::Recipe recipe = spec::read_recipe(recipe_file(cell.model), {});
        EXPECT_EQ(recipe.task, cell.test.task) << cell.model;
        EXPECT_GT(planned_steps(recipe), 0) << cell.model;
      }
    }
  }
  EXPECT_EQ(names.size(), 18u);
  EXPECT_CONTAINS(error_of([] { find_plan("countdwon"); }), "did you mean 'countdown'?");
  EXPECT_EQ(planned_steps(spec::read_recipe(recipe_file("paper/planning-tiny-mgdm-1200"), {})),
            58594);
}

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
    json["accuracy_by_planning_distance"]["3"]["accuracy"] = 0.25;
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
                  "mgdm eval --model quick-planning-mgdm --data planning-4-nodes.jsonl --limit 12");
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
  EXPECT_CONTAINS(before, "about 16m 40s");  // 2000 steps of half a second
  EXPECT_TRUE(orders_.empty());
  const Table with = reproduce(plan, context_);
  ASSERT_EQ(orders_.size(), 1u);
  EXPECT_FALSE(orders_[0].resume);
  EXPECT_EQ(orders_[0].out, context_.runs / "planning-mgdm");
  EXPECT_EQ(with.rows[0].values[1].ours, 100);
  EXPECT_EQ(with.rows[0].values[1].note, "");
  reproduce(plan, context_);
  EXPECT_EQ(orders_.size(), 1u);  // it is trained
  EXPECT_CONTAINS(forecast(plan, context_), "in all about 0s");
}

TEST_F(Reproduction, ABudgetShortensAndSaysSo) {
  const Plan plan = small_plan("frontier/planning", "quick-planning-ar");
  train_by_copying("quick-planning-mgdm");
  context_.budget = 600;
  const Table table = reproduce(plan, context_);
  ASSERT_EQ(orders_.size(), 1u);
  EXPECT_EQ(orders_[0].out, context_.runs / "planning-short");
  EXPECT_TRUE(contains(orders_[0].overrides, "training.minutes=8.000"));
  EXPECT_TRUE(contains(orders_[0].overrides, "training.steps=0"));
  EXPECT_CONTAINS(table.rows[0].values[0].note, "2000 steps of 5000");
  EXPECT_CONTAINS(to_markdown(table), "given 10m 00s in all");
  EXPECT_CONTAINS(to_markdown(table),
                  "mgdm train recipes/frontier/planning.toml training.epochs=0 training.steps=0 "
                  "training.minutes=8 --out ");
  context_.budget = 0;  // now the whole of it, in a run of its own
  reproduce(plan, context_);
  EXPECT_EQ(orders_.at(1).out, context_.runs / "planning");
  EXPECT_CONTAINS(reproduce(plan, context_).rows[0].values[0].note,
                  "unfinished: step 2000 of 5000");
  EXPECT_TRUE(orders_.at(2).resume);
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

TEST_F(Reproduction, TablesWithoutModels) {
  const Table sizes = reproduce(find_plan("sizes"), context_);
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

TEST_F(Reproduction, PredictionsAreMarked) {
  context_.limit = 3;
  const Table table = reproduce(find_plan("predictions"), context_);
  ASSERT_EQ(table.rows.size(), 3u);
  ASSERT_EQ(table.columns.size(), 6u);
  EXPECT_CONTAINS(table.rows[0].values[1].note, "not trained yet");
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

TEST_F(Reproduction, LossesOfTheHardestPosition) {
  const Plan& plan = find_plan("hard-subgoal");
  EXPECT_CONTAINS(reproduce(plan, context_).rows[0].values[0].note, "not trained yet");
  for (const char* name : {"planning-tiny-ar", "planning-tiny-mgdm-1200"}) {
    const fs::path checkpoint = context_.runs / name / "checkpoint-99999";
    fs::create_directories(checkpoint.parent_path());
    fs::copy(MGDM_SOURCE_DIR "/models/quick-planning-mgdm", checkpoint);
    write_file((checkpoint / "DONE").string(), "");
  }
  EXPECT_CONTAINS(reproduce(plan, context_).rows[0].values[0].note, "LibTorch");
  context_.trainer.losses = [](const std::string&, const std::string& data,
                               const std::string& json) {
    EXPECT_EQ(split(read_file(data), '\n').size(), 13u);
    Json at{{"loss_by_position", {0.1, 0.7, 0.2}}, {"loss_left_to_right", {0.1, 0.6, 0.9}}};
    for (int t = 0; t < 20; ++t) at["loss_by_level_and_position"].push_back({0, t / 100.0, 1});
    Json all;
    all["by_planning_distance"]["3"] = at;
    write_file(json, all.dump());
  };
  const Table table = reproduce(plan, context_);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].values[0].ours, 0.7);
  EXPECT_EQ(table.rows[1].values[7].ours, 0.6);
  EXPECT_EQ(table.rows[2].values[7].ours, 0.07);
  EXPECT_NE(to_figure(table), "");
}

TEST(ReproductionTable, GoesThroughJson) {
  Table table{"t", "A <title>", "Table 9"};
  table.corner = "who";
  table.columns = {"a", "b"};
  Value number{.paper = 52, .ours = 51.25, .error = 1.6, .strict = 50};
  number.n = 1000;
  number.note = "step 3 of 5";
  number.commands = {"mgdm eval --model x"};
  number.revision = "abc";
  Value text;
  text.parts = {{"2*3=6"}, {","}, {"6*1=7", true, true}};
  table.rows = {{"us", {number, text}}, {"nobody", {}}};
  table.notes = {"A note."};
  const Table again = from_json(Json::parse(to_json(table).dump()));
  EXPECT_EQ(to_json(again), to_json(table));
  const std::string markdown = to_markdown(again);
  EXPECT_EQ(markdown, to_markdown(table));
  EXPECT_CONTAINS(markdown, "51.2 ± 1.6 (50) [1]");
  EXPECT_CONTAINS(markdown, "2\\*3=6,<ins><b>6\\*1=7</b></ins>");
  EXPECT_CONTAINS(markdown, "[1] step 3 of 5");
  EXPECT_CONTAINS(markdown, "    mgdm eval --model x\n");
  EXPECT_NE(error_of([] { from_json(Json::parse(R"({"name": "t"})")); }), "");
}

// Whether every element that is opened is closed, and in order. Enough of HTML for what we write.
std::string unbalanced(const std::string& html) {
  static const std::set<std::string> kVoid{"meta", "link", "line", "rect", "polyline", "circle"};
  std::vector<std::string> open;
  for (std::size_t at = html.find('<', 1); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos) return "a tag without an end";
    const bool closes = html[at + 1] == '/';
    const std::size_t name = at + (closes ? 2 : 1);
    const std::string tag = html.substr(name, html.find_first_of(" >/\n", name) - name);
    if (html[end - 1] == '/' || (kVoid.contains(tag) && !closes)) continue;
    if (!closes) {
      open.push_back(tag);
    } else if (open.empty() || open.back() != tag) {
      return "</" + tag + "> after <" + (open.empty() ? "" : open.back()) + ">";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

TEST_F(Reproduction, ThePageHasAllOfItAndAsksForNothing) {
  write_table(reproduce(find_plan("sizes"), context_), context_);
  write_table(reproduce(find_plan("tasks"), context_), context_);
  write_table(reproduce(small_plan("quick-planning-mgdm", "quick-planning-ar"), context_),
              context_);
  const fs::path run = context_.runs / "my <run>";
  fs::create_directories(run);
  write_file((run / "metrics.jsonl").string(),
             "{\"step\": 100, \"accuracy\": 0.25, \"loss\": 1}\n{\"step\": 200, \"loss\": 0.5}\n"
             "{\"step\": 300, \"accuracy\": 0.75}\n{\"st");
  write_file((run / "env.json").string(), R"({"recipe": "recipes/x.toml", "git_revision": "abc"})");
  write_file((run / "score.json").string(),
             R"({"task": "sudoku", "n": 10, "accuracy": 0.9, "stderr": 0.1,
                 "settings": {"model": "m&m"}, "git_revision": "def"})");
  write_file((run / "broken.json").string(), "{");
  const Page page = gather(context_.out, context_.runs);
  ASSERT_EQ(page.tables.size(), 3u);
  EXPECT_EQ(page.tables[0].table.name, "tasks");  // in the order of the plans
  EXPECT_EQ(page.tables[1].table.name, "sizes");
  EXPECT_EQ(page.tables[2].table.name, "small");
  ASSERT_EQ(page.scores.size(), 1u);
  ASSERT_EQ(page.runs.size(), 1u);
  EXPECT_EQ(page.runs[0].recipe, "recipes/x.toml");
  EXPECT_EQ(page.runs[0].accuracy, 0.75);
  const std::string html = to_html(page);
  EXPECT_EQ(unbalanced(html), "");
  EXPECT_CONTAINS(html, "my &lt;run&gt;");
  EXPECT_CONTAINS(html, "m&amp;m");
  EXPECT_CONTAINS(html, "width=device-width");
  EXPECT_EQ(html.find("<script"), std::string::npos);
  std::size_t figures = 0;
  for (std::size_t at = html.find("<svg"); at != std::string::npos; at = html.find("<svg", at + 1))
    ++figures;
  EXPECT_EQ(figures, 2u);
  // No address but the name of SVG's namespace, and no reference that leaves the page.
  std::string rest = html;
  for (std::size_t at; (at = rest.find("http://www.w3.org/2000/svg")) != std::string::npos;)
    rest.erase(at, 26);
  EXPECT_EQ(rest.find("://"), std::string::npos);
  EXPECT_EQ(rest.find("src="), std::string::npos);
  for (std::size_t at = rest.find("href=\""); at != std::string::npos;
       at = rest.find("href=\"", at + 1))
    EXPECT_TRUE(rest[at + 6] == '#' || rest.substr(at + 6, 6) == "data:,") << rest.substr(at, 40);
  EXPECT_TRUE(gather(folder_.path() / "none", folder_.path() / "none").tables.empty());
}

}  // namespace
}  // namespace mgdm::reproduction
