// Sudoku as a task: 81 digits in, 81 digits out, 0 for a blank.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tasks/task.h"

namespace mgdm::tasks::sudoku {

// kEasy: the paper's kind of puzzles. kHard: minimal ones, most of which singles do not solve.
// `guesses` keeps only those of the hard puzzles that take so many; UsageError with easy ones,
// which take none. Generating is an Error when so many puzzles as `patience` says were made for one
// and none takes as many guesses.
std::unique_ptr<Task> make_sudoku(Difficulty difficulty, std::optional<Guesses> guesses = {},
                                  std::int64_t patience = 1'000'000);

}  // namespace mgdm::tasks::sudoku
