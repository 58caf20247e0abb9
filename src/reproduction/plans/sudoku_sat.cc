// Sudoku and SAT (figure 4). The paper prints few of its bars as numbers.
#include <fmt/format.h>

#include "reproduction/plan.h"

namespace mgdm::reproduction {

Plan sudoku_sat_plan() {
  Table frame{"sudoku-sat", "Sudoku, and SAT with 5, 7 and 9 variables", "Figure 4"};
  frame.corner = "method";
  frame.columns = {"Sudoku", "SAT 5", "SAT 7", "SAT 9"};
  frame.chart = Chart::kBarsByRow;
  frame.notes = {
      "By what is true (every clause satisfied): the released metric for SAT wants one particular "
      "assignment. Puzzles are generated; they have the distribution of the released ones. The "
      "paper also prints that AR solves 20.7 % of its Sudokus, not at which size."};
  Plan plan{frame};
  const auto row = [&](const std::string& label, const std::string& ending, bool has_sudoku,
                       bool has_sat, std::optional<double> sudoku = {}) {
    PlanRow made{label, {}};
    for (const std::string task : {"sudoku", "sat-5", "sat-7", "sat-9"}) {
      const bool is_sudoku = task == "sudoku";
      Cell cell{.paper = is_sudoku ? sudoku : std::nullopt};
      if (is_sudoku ? has_sudoku : has_sat) cell.model = fmt::format("paper/{}-{}", task, ending);
      cell.test = {.task = task, .from = TestSet::From::kGenerated};
      cell.quantity = Quantity::kAccuracy;
      made.cells.push_back(cell);
    }
    plan.rows.push_back(made);
  };
  row("AR 6M", "tiny-ar", true, true);
  row("AR 85M", "base-ar", true, true);
  row("AR 303M", "medium-ar", true, true);
  row("LLaMA 7B", "llama-7b-lora", true, false);
  row("LLaMA 13B", "llama-13b-lora", true, false, 32.9);
  row("MGDM 6M", "tiny-mgdm", true, true, 100);
  row("MGDM 85M", "base-mgdm", false, true);
  row("MGDM 303M", "medium-mgdm", false, true);
  return plan;
}

}  // namespace mgdm::reproduction
