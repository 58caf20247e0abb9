// Sudoku as a task: 81 digits in, 81 digits out, 0 for a blank.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "tasks/task.h"

namespace mgdm::tasks::sudoku {

enum class Difficulty { kEasy, kHard, kExtreme };

// A range of numbers of guesses (solver.h), both ends included.
struct Guesses {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Guesses&) const = default;
};

// "10..", "5..9", "..4" or "7"; none when the text is empty. UsageError for anything else.
std::optional<Guesses> parse_guesses(std::string_view text);

// kEasy: puzzles like the paper's. kHard: random minimal puzzles, most of which need more than
// singles. kExtreme: minimal puzzles found by walks (hard_walk.h), which take 20 guesses or more on
// average over their symmetric forms. `guesses` keeps only puzzles that take this many guesses (of
// kExtreme on average); UsageError with kEasy, whose puzzles take none. Generating is an Error when
// `patience` puzzles in a row do not fit.
std::unique_ptr<Task> make_sudoku(Difficulty difficulty, std::optional<Guesses> guesses = {},
                                  std::int64_t patience = 1'000'000);

}  // namespace mgdm::tasks::sudoku
