// The plan of a table or figure of the paper: models, puzzles, columns and the paper's numbers.
// Each plan is a file in plans/.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reproduction/context.h"
#include "reproduction/table.h"

namespace mgdm::reproduction {

// The shipped models.
struct ShippedModel {
  std::string name, folder, task;
  std::vector<std::string> options = {};  // of its training puzzles, from its card
  bool diffusion = false;                 // a diffusion model; otherwise left to right
  std::int64_t loops = 0;                 // in training; 0 where the network has none
};

// The shipped models with a card, by name.
std::vector<ShippedModel> shipped_models();

// The puzzles that a model is measured on.
struct TestSet {
  enum class From { kReleased, kGenerated, kFile };
  std::string task;
  From from = From::kReleased;  // the paper's test, regenerated; generated if that is impossible
  std::string file = {};        // kFile: its name in the folder --files
  std::string ending = {};      // kFile: how its puzzles end, ",24" for Game of 24
  std::int64_t count = 1000;
  std::vector<std::string> options = {};  // of the task: "difficulty=hard"
  std::int64_t seed = 77;
  bool rated = false;  // kFile: a line ends with the rating of its puzzle
};

enum class Quantity {
  kAccuracyPaper,  // by the released metric, the strict one beside it
  kAccuracy,       // by the strict one
  kAtDistance,     // at the planning distance `place`
  kPerSecond,      // puzzles
  kErrors,         // % of all answers with the fault `error` in equation `place`
  kErrorKind,      // % of all answers with the fault `error` anywhere
  kWrong,          // % wrong of all answers, by the strict metric
  kPromptTokens,   // per puzzle, of what was prompted
  kGeneratedTokens,
  kBestOfTries,  // by the strict one: the first answer that verifies
  kPart,         // by the strict one: of the puzzles that `by` and `part` name
  kPasses,       // per puzzle
  kParameters,   // of the model, in millions
};

struct Cell {
  std::optional<double> paper = {};
  // A shipped model ("sudoku"), or the recipe that trains one ("paper/countdown-4-tiny-ar"); empty:
  // only the paper has the number. Some recipes need weights that the user names (weights.h).
  std::string model = {};
  TestSet test = {};
  Quantity quantity = Quantity::kAccuracyPaper;
  int place = 0;
  std::string error = {};
  std::string by = {}, part = {};  // "accuracy_by_guesses", "1-4": as the JSON of `eval` has them
  std::vector<std::string> decoding = {};  // "steps=1", over the model's own
  std::string prompted = {};               // instead of a model: a method of mgdm prompt
  bool at_passes = false;                  // lines have it at the passes that it took
};

struct PlanRow {
  std::string label;
  std::vector<Cell> cells;
};

struct Plan {
  Table frame;  // without rows
  std::vector<PlanRow> rows = {};
  // Instead of rows: a function that makes the table, from `models` if it needs any.
  std::function<std::vector<TableRow>(const Context& context, const TimeLeft& time)> make = {};
  std::vector<std::string> models = {};
  bool watches_accuracy = false;  // trainings measure accuracy at intervals
  // Instead of rows: a function that makes rows for the shipped models.
  std::function<std::vector<PlanRow>(const std::vector<ShippedModel>& models)> rows_of_models = {};
  bool only_what_occurs = false;  // rows without a number above 0 are left out
  // Turns the filled rows into those that the table shows, if they differ.
  std::function<std::vector<TableRow>(const std::vector<TableRow>& rows)> condense = {};
};

// The plan with the rows of rows_of_models, if it has that.
Plan with_rows(const Plan& plan);

// All of them, in the order of the paper; and one by its name (UsageError with the nearest).
const std::vector<Plan>& plans();
const Plan& find_plan(const std::string& name);

// In plans/.
Plan shipped_plan();
Plan shipped_training_plan();
Plan shipped_passes_plan();
Plan shipped_loops_plan();
Plan shipped_errors_plan();
Plan planning_plan();
Plan planning_sizes_plan();
Plan planning_data_plan();
Plan planning_data_accuracy_plan();
Plan hard_subgoal_plan();
Plan countdown_plan();
Plan game24_plan();
Plan sudoku_sat_plan();
Plan ablation_plan();
Plan convergence_plan();
Plan speed_plan();
Plan errors_plan();
Plan reweighting_plan();
Plan scaling_plan();
Plan predictions_plan();
Plan tasks_plan();
Plan statistics_plan();
Plan sizes_plan();

}  // namespace mgdm::reproduction
