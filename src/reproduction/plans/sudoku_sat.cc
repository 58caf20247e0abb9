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
      "assignment. Puzzles are generated; they have the distribution of the released ones."};
  Plan plan{frame};
  const auto row = [&](const std::string& label, const std::string& ending,
                       std::optional<double> sudoku, bool has_sudoku = true) {
    PlanRow made{label, {}};
    for (const char* task : {"sudoku", "sat-5", "sat-7", "sat-9"}) {
      const bool is_first = made.cells.empty();
      Cell cell{.paper = is_first ? sudoku : std::nullopt};
      if (!is_first || has_sudoku) cell.model = fmt::format("paper/{}-{}", task, ending);
      cell.test = {.task = task, .from = TestSet::From::kGenerated};
      cell.quantity = Quantity::kAccuracy;
      made.cells.push_back(cell);
    }
    plan.rows.push_back(made);
  };
  row("AR 6M", "tiny-ar", {});
  row("AR 85M", "base-ar", {});
  row("AR 303M", "medium-ar", {});
  plan.rows.push_back({"LLaMA 13B", {{.paper = 32.9}, {}, {}, {}}});
  row("MGDM 6M", "tiny-mgdm", 100);
  row("MGDM 85M", "base-mgdm", {}, false);
  row("MGDM 303M", "medium-mgdm", {}, false);
  return plan;
}

}  // namespace mgdm::reproduction
