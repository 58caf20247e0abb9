// Tables that need no model: dataset statistics, model sizes, task examples.
#include <algorithm>

#include "reproduction/plan.h"
#include "reproduction/puzzles.h"
#include "spec/tensors.h"

namespace mgdm::reproduction {
namespace {

struct Dataset {
  const char *name, *task;
  double train, mean_input, mean_output, most_input,
      most_output;  // the paper's; train in thousands
};

constexpr Dataset kDatasets[] = {
    {"Minimal", "planning", 50, 47, 21, 49, 23},  {"CD 3", "countdown-3", 500, 11, 16, 12, 22},
    {"CD 4", "countdown-4", 500, 13, 25, 15, 35}, {"CD 5", "countdown-5", 500, 16, 35, 18, 52},
    {"Sudoku", "sudoku", 100, 81, 81, 81, 81},    {"SAT 5", "sat-5", 50, 245, 9, 245, 9},
    {"SAT 7", "sat-7", 50, 269, 13, 269, 13},     {"SAT 9", "sat-9", 100, 305, 17, 305, 17}};

// Tests come from our generators, which have the paper's distributions: regenerating its own files
// takes seconds.
TestSet test_of(const Dataset& dataset) {
  return {.task = dataset.task, .from = TestSet::From::kGenerated};
}

Value both(double paper, double ours, const std::string& command = "") {
  Value value;
  value.paper = paper;
  value.ours = ours;
  if (!command.empty()) value.commands = {command};
  return value;
}

std::vector<TableRow> statistics(const Context& context, const TimeLeft&) {
  std::vector<TableRow> rows{{"train, thousands", {}},  {"test puzzles", {}},
                             {"mean input tokens", {}}, {"mean output tokens", {}},
                             {"most input tokens", {}}, {"most output tokens", {}}};
  for (const Dataset& dataset : kDatasets) {
    const TestSet test = test_of(dataset);
    const auto puzzles = puzzles_of(test, context);
    const auto n = static_cast<double>(puzzles.size());
    double mean_input = 0, mean_output = 0;
    std::size_t most_input = 0, most_output = 0;
    for (const tasks::Example& puzzle : puzzles) {  // a token is a character
      mean_input += static_cast<double>(puzzle.input.size()) / n;
      mean_output += static_cast<double>(puzzle.output.size()) / n;
      most_input = std::max(most_input, puzzle.input.size());
      most_output = std::max(most_output, puzzle.output.size());
    }
    const std::string recipe = std::string("paper/") + dataset.task + "-tiny-ar";
    const auto examples = spec::read_recipe(recipe_file(recipe), {}).data.count;
    rows[0].values.push_back(both(dataset.train, static_cast<double>(examples) / 1000));
    rows[1].values.push_back(both(1000, n, puzzle_file(test).command));
    rows[2].values.push_back(both(dataset.mean_input, mean_input));
    rows[3].values.push_back(both(dataset.mean_output, mean_output));
    rows[4].values.push_back(both(dataset.most_input, static_cast<double>(most_input)));
    rows[5].values.push_back(both(dataset.most_output, static_cast<double>(most_output)));
  }
  return rows;
}

struct Size {
  const char *name, *recipe;
  double millions, layers, heads, width;
};

constexpr Size kSizes[] = {{"Tiny", "paper/countdown-4-tiny-mgdm", 6, 3, 12, 384},
                           {"Base", "paper/countdown-4-base-mgdm", 85, 12, 12, 768},
                           {"Medium", "paper/countdown-4-medium-mgdm", 303, 24, 16, 1024}};

std::vector<TableRow> sizes(const Context&, const TimeLeft&) {
  std::vector<TableRow> rows{
      {"parameters, millions", {}}, {"layers", {}}, {"heads", {}}, {"width", {}}};
  for (const Size& size : kSizes) {
    const spec::ModelSettings model = spec::read_recipe(recipe_file(size.recipe), {}).model;
    rows[0].values.push_back(
        both(size.millions, static_cast<double>(spec::parameter_count(model)) / 1e6));
    rows[1].values.push_back(both(size.layers, static_cast<double>(model.layers)));
    rows[2].values.push_back(both(size.heads, static_cast<double>(model.heads)));
    rows[3].values.push_back(both(size.width, static_cast<double>(model.width)));
  }
  return rows;
}

std::vector<TableRow> examples(const Context& context, const TimeLeft&) {
  Context one = context;
  one.limit = 1;
  std::vector<TableRow> rows;
  for (const Dataset& dataset : kDatasets) {
    const TestSet test = test_of(dataset);
    const tasks::Example puzzle = puzzles_of(test, one).front();
    Value input, output;
    input.parts = {{puzzle.input}};
    output.parts = {{puzzle.output}};
    input.commands = {puzzle_file(test).command};
    rows.push_back({dataset.name, {input, output}});
  }
  return rows;
}

std::vector<std::string> names(const auto& all) {
  std::vector<std::string> found;
  for (const auto& each : all) found.emplace_back(each.name);
  return found;
}

}  // namespace

Plan statistics_plan() {
  Table frame{"statistics", "Dataset statistics", "Table 4"};
  frame.columns = names(kDatasets);
  frame.unit = "counts";
  frame.notes = {
      "Measured on generated puzzles of the test split. Training examples are what the recipes "
      "train "
      "on."};
  return {frame, {}, statistics};
}

Plan sizes_plan() {
  Table frame{"sizes", "Model sizes", "Table 5"};
  frame.columns = names(kSizes);
  frame.unit = "counts";
  frame.notes = {"Counted from the tensors that a recipe makes."};
  return {frame, {}, sizes};
}

Plan tasks_plan() {
  Table frame{"tasks", "An example of each task", "Table 10"};
  frame.columns = {"input", "output"};
  frame.unit = "text";
  return {frame, {}, examples};
}

}  // namespace mgdm::reproduction
