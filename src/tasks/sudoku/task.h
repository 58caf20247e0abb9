// Sudoku as a task: 81 digits in, 81 digits out, 0 for a blank.
#pragma once

#include <memory>

#include "tasks/task.h"

namespace mgdm::tasks::sudoku {

// kEasy: the paper's kind of puzzles. kHard: minimal ones, most of which singles do not solve.
std::unique_ptr<Task> make_sudoku(Difficulty difficulty);

}  // namespace mgdm::tasks::sudoku
