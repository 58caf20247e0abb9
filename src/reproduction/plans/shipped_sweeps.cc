// Accuracy of the shipped models over what decoding may cost: passes, and loops in each pass.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduction/puzzles.h"

namespace mgdm::reproduction {
namespace {

// Some minutes a model on two cores of a CPU.
constexpr std::int64_t kPuzzlesOfSweep = 200;

constexpr int kPasses[] = {1, 2, 3, 5, 10, 20};

constexpr double kLoops[] = {0.5, 1, 2, 4, 8, 16};  // of those in training
constexpr int kPassesOfLoops = 5;

Cell sweep_cell(const ShippedModel& model, const TestSet& test,
                const std::vector<std::string>& decoding) {
  Cell cell{.model = model.name, .test = test, .quantity = Quantity::kAccuracy};
  cell.decoding = decoding;
  return cell;
}

std::vector<PlanRow> passes_rows(const std::vector<ShippedModel>& models) {
  std::vector<PlanRow> rows;
  for (const ShippedModel& model : models) {
    if (!model.diffusion) continue;
    for (const auto& [label, test] : held_out_of(model, kPuzzlesOfSweep)) {
      PlanRow row{label, {}};
      for (const int passes : kPasses)
        row.cells.push_back(
            sweep_cell(model, test, {"order=topk", fmt::format("steps={}", passes)}));
      Cell adaptive = sweep_cell(model, test, {"order=threshold"});
      adaptive.at_passes = true;
      row.cells.push_back(adaptive);
      adaptive.quantity = Quantity::kPasses;
      adaptive.at_passes = false;
      row.cells.push_back(adaptive);
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<PlanRow> loops_rows(const std::vector<ShippedModel>& models) {
  std::vector<PlanRow> rows;
  for (const ShippedModel& model : models) {
    if (!model.diffusion || model.loops == 0) continue;
    for (const auto& [label, test] : held_out_of(model, kPuzzlesOfSweep)) {
      PlanRow row{fmt::format("{} (1 = {} loops)", label, model.loops), {}};
      for (const double factor : kLoops) {
        const auto loops =
            std::max<std::int64_t>(1, std::llround(factor * static_cast<double>(model.loops)));
        row.cells.push_back(sweep_cell(model, test,
                                       {"order=topk", fmt::format("steps={}", kPassesOfLoops),
                                        fmt::format("loops={}", loops)}));
      }
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace

Plan shipped_passes_plan() {
  Table frame{"shipped-passes", "The shipped models: accuracy over passes", "docs/results.md"};
  frame.corner = "model, by TopK in so many passes";
  frame.axis = "passes by TopK; rings: by threshold, at the passes that it took on average";
  for (const int passes : kPasses) frame.columns.push_back(std::to_string(passes));
  frame.columns.insert(frame.columns.end(), {"threshold", "passes by threshold"});
  frame.chart = Chart::kLines;
  frame.unit = "puzzles solved, %";
  frame.notes = {
      "By the strict metric, in one try, with the threshold and the loops that the model's card "
      "names. A pass is one call of the network."};
  Plan plan{frame};
  plan.rows_of_models = passes_rows;
  return plan;
}

Plan shipped_loops_plan() {
  Table frame{"shipped-loops", "The shipped models: accuracy over loops", "docs/results.md"};
  frame.corner = "model, by loops as a multiple of those in training";
  frame.axis = "loops in each pass, as a multiple of those in training";
  for (const double factor : kLoops) frame.columns.push_back(fmt::format("{:g}", factor));
  frame.chart = Chart::kLines;
  frame.unit = "puzzles solved, %";
  frame.notes = {
      fmt::format("By the strict metric, in one try of {} passes of TopK. A loop applies the "
                  "shared layers once.",
                  kPassesOfLoops)};
  Plan plan{frame};
  plan.rows_of_models = loops_rows;
  return plan;
}

}  // namespace mgdm::reproduction
