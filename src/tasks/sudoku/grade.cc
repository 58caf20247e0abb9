#include "tasks/sudoku/grade.h"

#include "base/error.h"
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

std::string_view level_name(Level level) {
  switch (level) {
    case Level::kNakedSingles:
      return "naked singles";
    case Level::kHiddenSingles:
      return "hidden singles";
    case Level::kGuessing:
      return "guessing";
    case Level::kNoSolution:
      return "no solution";
    case Level::kManySolutions:
      return "many solutions";
  }
  check_failed("a known level", __FILE__, __LINE__);
}

}  // namespace mgdm::tasks::sudoku
