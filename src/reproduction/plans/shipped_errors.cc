// What goes wrong left to right and by diffusion: models that come along in both kinds, NAME or
// NAME-mgdm beside NAME-ar, on the same puzzles.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reproduction/puzzles.h"
#include "tasks/all_tasks.h"

namespace mgdm::reproduction {
namespace {

// As many as in `shipped`: where it has measured them, nothing is left to measure.
constexpr std::int64_t kPuzzlesOfPair = 1000;

struct Pair {
  std::string name;
  ShippedModel left_to_right, diffusion;
};

std::vector<Pair> pairs_of(const std::vector<ShippedModel>& models) {
  const auto find = [&](const std::string& name) -> std::optional<ShippedModel> {
    const auto found = std::ranges::find(models, name, &ShippedModel::name);
    return found == models.end() ? std::nullopt : std::optional(*found);
  };
  std::vector<Pair> pairs;
  for (const ShippedModel& model : models) {
    constexpr std::string_view kEnd = "-ar";
    if (model.diffusion || !model.name.ends_with(kEnd)) continue;
    const std::string name = model.name.substr(0, model.name.size() - kEnd.size());
    for (const std::string& other : {name, name + "-mgdm"})
      if (const auto found = find(other); found && found->diffusion && found->task == model.task)
        pairs.push_back({name, model, *found});
  }
  return pairs;
}

// What a row counts: its label, and the answers of both models that show it.
PlanRow errors_row(const Pair& pair, const std::string& label, const Cell& counted) {
  PlanRow row{label, {counted, counted}};
  row.cells[0].model = pair.left_to_right.name;
  row.cells[1].model = pair.diffusion.name;
  return row;
}

std::vector<PlanRow> errors_rows(const std::vector<ShippedModel>& models) {
  std::vector<PlanRow> rows;
  for (const Pair& pair : pairs_of(models)) {
    Cell cell{.quantity = Quantity::kWrong};
    cell.test = held_out_of(pair.diffusion, kPuzzlesOfPair).front().test;
    rows.push_back(errors_row(pair, pair.name + ": wrong answers", cell));
    const auto add = [&](const std::string& fault) {
      cell.quantity = Quantity::kErrorKind;
      cell.error = fault;
      rows.push_back(errors_row(pair, fmt::format("{}: {}", pair.name, fault), cell));
    };
    const std::string& task = pair.diffusion.task;
    const tasks::FaultWords faults = tasks::family_of(task).faults(task);
    for (const std::string& fault : faults.by_place) {
      add(fault);
      cell.quantity = Quantity::kErrors;
      for (cell.place = 1; cell.place <= faults.places; ++cell.place)
        rows.push_back(errors_row(pair, fmt::format("… in equation {}", cell.place), cell));
    }
    for (const std::string& fault : faults.words) add(fault);
  }
  return rows;
}

}  // namespace

Plan shipped_errors_plan() {
  Table frame{"shipped-errors", "What goes wrong: left to right beside diffusion",
              "docs/results.md"};
  frame.corner = "models and errors";
  frame.columns = {"left to right (AR)", "diffusion (MGDM)"};
  frame.chart = Chart::kBarsByRow;
  frame.unit = "% of the answers";
  frame.notes = {
      "The same puzzles for both models of a pair, decoded as their cards say; an answer can show "
      "several errors, and errors that no answer shows are left out. docs/tasks.md says what each "
      "of them is. A planning error is counted in the equation after which the target is out of "
      "reach; a calculation error in every equation that is false."};
  Plan plan{frame};
  plan.rows_of_models = errors_rows;
  plan.only_what_occurs = true;
  return plan;
}

}  // namespace mgdm::reproduction
