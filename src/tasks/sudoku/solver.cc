#include "tasks/sudoku/solver.h"

namespace mgdm::tasks::sudoku {

bool falls_to(const Grid& puzzle, Rules rules) {
  Candidates state(puzzle);
  return state.propagate(rules) && state.complete();
}

Grade grade(const Grid& puzzle) {
  if (falls_to(puzzle, Rules::kNakedSingles)) return {Level::kNakedSingles, 0};
  if (falls_to(puzzle, Rules::kSingles)) return {Level::kHiddenSingles, 0};
  const int solutions = count_solutions(puzzle, 2);
  if (solutions == 0) return {Level::kNoSolution, 0};
  Grade grade{solutions == 1 ? Level::kGuessing : Level::kManySolutions, 0};
  search(Candidates(puzzle), Rules::kSingles, grade.guesses, [](const Grid&) { return false; });
  return grade;
}

std::optional<Grid> first_solution(const Grid& puzzle) {
  std::optional<Grid> solution;
  std::uint64_t branches = 0;
  search(Candidates(puzzle), Rules::kLocked, branches, [&](const Grid& grid) {
    solution = grid;
    return false;
  });
  return solution;
}

int count_solutions(const Grid& puzzle, int limit) {
  int count = 0;
  if (limit <= 0) return count;
  std::uint64_t branches = 0;
  search(Candidates(puzzle), Rules::kLocked, branches,
         [&](const Grid&) { return ++count < limit; });
  return count;
}

bool solvable(const Candidates& state) {
  std::uint64_t branches = 0;
  return !search(state, Rules::kLocked, branches, [](const Grid&) { return false; });
}

}  // namespace mgdm::tasks::sudoku
