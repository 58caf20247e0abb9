// Sudoku as a task: 81 digits in, 81 digits out, 0 for a blank.
#pragma once

#include <memory>
#include <optional>

#include "tasks/task.h"

namespace mgdm::tasks::sudoku {

// kEasy: the paper's kind of puzzles. kHard: minimal ones, most of which singles do not solve.
// `guesses` keeps only those of the hard puzzles that take so many; UsageError with easy ones,
// which take none.
std::unique_ptr<Task> make_sudoku(Difficulty difficulty, std::optional<Guesses> guesses = {});

}  // namespace mgdm::tasks::sudoku
