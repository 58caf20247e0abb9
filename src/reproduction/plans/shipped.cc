// The models that come along, on their test sets, beside the paper's 6M-parameter MGDM.
#include "reproduction/plan.h"

namespace mgdm::reproduction {

Plan shipped_plan() {
  Table frame{"shipped", "The shipped models", "docs/results.md"};
  frame.corner = "model and puzzles";
  frame.columns = {"accuracy_paper", "accuracy"};
  frame.chart = Chart::kBarsByRow;
  frame.notes = {
      "The paper's numbers are those of its 6M-parameter MGDM on its own test files, trained on "
      "other data: docs/results.md says what is comparable."};
  Plan plan{frame};
  const auto row = [&](const std::string& label, const std::string& model, const TestSet& test,
                       std::optional<double> paper = {}) {
    Cell by_paper{.paper = paper, .model = model, .test = test};
    Cell by_truth{.model = model, .test = test};
    by_truth.quantity = Quantity::kAccuracy;
    plan.rows.push_back({label, {by_paper, by_truth}});
  };
  using From = TestSet::From;
  row("planning, as released", "planning", {.task = "planning"}, 100);
  row("countdown-4, as released", "countdown-4", {.task = "countdown-4"}, 52.0);
  row("countdown-4, generated", "countdown-4", {.task = "countdown-4", .from = From::kGenerated});
  row("countdown-4, Game of 24", "countdown-4",
      {.task = "countdown-4", .from = From::kFile, .file = "cd4_tot24.jsonl", .count = 100});
  row("sudoku, easy", "sudoku", {.task = "sudoku", .from = From::kGenerated}, 100);
  row("sudoku, minimal", "sudoku",
      {.task = "sudoku", .from = From::kGenerated, .difficulty = "hard"});
  row("sudoku, 10 guesses or more", "sudoku",
      {.task = "sudoku", .from = From::kGenerated, .difficulty = "hard", .guesses = "10.."});
  const TestSet small{.task = "planning", .from = From::kGenerated, .nodes = 4, .seed = 5};
  row("quick-planning-mgdm, 4 nodes", "quick-planning-mgdm", small);
  row("quick-planning-ar, 4 nodes", "quick-planning-ar", small);
  return plan;
}

}  // namespace mgdm::reproduction
