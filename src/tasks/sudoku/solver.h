// Exact search over a puzzle: first solution, number of solutions, uniqueness.
//
//   std::optional<Grid> solution = first_solution(parse_grid("4.....8.5.3..."));
#pragma once

#include <cstdint>
#include <optional>

#include "tasks/sudoku/candidates.h"
#include "tasks/sudoku/grid.h"

namespace mgdm::tasks::sudoku {

// The difficulty of a puzzle: the deduction rules and the number of guesses that it takes.
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

// Depth-first search: the rules to a fixpoint, then a branch on the cell with the fewest
// candidates, lowest index among equals, digits ascending. Calls on_solution(const Grid&) for each
// solution until it returns false; then the search is over and returns false. `branches` counts the
// guesses tried.
template <class OnSolution>
bool search(Candidates state, Rules rules, std::uint64_t& branches, OnSolution&& on_solution) {
  if (!state.propagate(rules)) return true;
  if (state.complete()) return on_solution(state.placed());
  const Candidates::Branch branch = state.branch();
  for (std::size_t i = 0; i < branch.count; ++i) {
    ++branches;
    Candidates next = state;
    next.place(branch.cell, branch.digits[i]);
    if (!search(next, rules, branches, on_solution)) return false;
  }
  return true;
}

// None when the puzzle has no solution.
std::optional<Grid> first_solution(const Grid& puzzle);

// The number of solutions, or `limit` when there are at least that many.
int count_solutions(const Grid& puzzle, int limit);

// Whether `state` has a solution.
bool solvable(const Candidates& state);

}  // namespace mgdm::tasks::sudoku
