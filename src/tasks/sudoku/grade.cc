#include "tasks/sudoku/grade.h"

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

}  // namespace mgdm::tasks::sudoku
