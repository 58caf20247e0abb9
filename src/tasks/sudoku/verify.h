// Whether an answer is right, and the faults of a wrong one.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tasks/sudoku/grid.h"
#include "tasks/task.h"

namespace mgdm::tasks::sudoku {

// Strict: 81 digits 1-9, no digit twice in a row, column or box, every given kept.
bool is_solution(const Grid& puzzle, std::string_view answer);

// correct: is_solution. correct_paper: equals the stored solution. Where none is stored (empty) the
// two are the same, as they are for every puzzle with one solution. Allocates nothing.
Verdict verify(const Grid& puzzle, std::string_view solution, std::string_view answer);

// Empty exactly when is_solution. The categories, in the order of the result, and their `where`:
//   "wrong length"                              0; nothing else is looked at
//   "not a digit", "blank cell", "given changed"   the cell, 1 to 81
//   "row clash", "column clash", "box clash"       the row, column or box, 1 to 9
std::vector<Fault> explain(const Grid& puzzle, std::string_view answer);

// "givens clash": a digit stands twice among the givens of a row, column or box; the first of them.
std::optional<Fault> clash_of_givens(const Grid& puzzle);

}  // namespace mgdm::tasks::sudoku
