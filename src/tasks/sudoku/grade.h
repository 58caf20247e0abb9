// The difficulty of a puzzle: the deduction rules and the number of guesses that it takes.
#pragma once

#include <cstdint>

#include "tasks/sudoku/candidates.h"
#include "tasks/sudoku/grid.h"

namespace mgdm::tasks::sudoku {

enum class Level {
  kNakedSingles,   // always some cell with one candidate: the paper's test
  kHiddenSingles,  // also needs a digit with one place left in a unit
  kGuessing,       // singles get stuck
  kNoSolution,
  kManySolutions,
};

struct Grade {
  Level level = Level::kNoSolution;

  // Branches that `search` with Rules::kSingles tries before its first solution: naked and hidden
  // singles to a fixpoint, then the cell with the fewest candidates (lowest index among equals),
  // its digits ascending; each digit tried counts one, the right ones too. 0 without a solution.
  std::uint64_t guesses = 0;

  bool operator==(const Grade&) const = default;
};

Grade grade(const Grid& puzzle);

// Whether the rules alone fill the grid. Then the solution is the only one.
bool falls_to(const Grid& puzzle, Rules rules);

}  // namespace mgdm::tasks::sudoku
