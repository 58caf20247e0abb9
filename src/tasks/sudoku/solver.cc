#include "tasks/sudoku/solver.h"

namespace mgdm::tasks::sudoku {

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

bool has_unique_solution(const Grid& puzzle) { return count_solutions(puzzle, 2) == 1; }

bool solvable(const Candidates& state) {
  std::uint64_t branches = 0;
  return !search(state, Rules::kLocked, branches, [](const Grid&) { return false; });
}

}  // namespace mgdm::tasks::sudoku
