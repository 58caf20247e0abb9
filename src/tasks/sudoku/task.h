// Sudoku as a task: 81 digits in, 81 digits out, 0 for a blank.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "tasks/task.h"

namespace mgdm::tasks::sudoku {

enum class Difficulty { kEasy, kHard };

// How many guesses a puzzle takes (grade.h): low to high, both included.
struct Guesses {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Guesses&) const = default;
};

// "10..", "5..9", "..4" or "7"; none when the text is empty. UsageError for anything else.
std::optional<Guesses> parse_guesses(std::string_view text);

// kEasy: the paper's kind of puzzles. kHard: minimal ones, most of which singles do not solve.
// `guesses` keeps only those of the hard puzzles that take so many; UsageError with easy ones,
// which take none. Generating is an Error when so many puzzles as `patience` says were made for one
// and none takes as many guesses.
std::unique_ptr<Task> make_sudoku(Difficulty difficulty, std::optional<Guesses> guesses = {},
                                  std::int64_t patience = 1'000'000);

}  // namespace mgdm::tasks::sudoku
