#include "tasks/sudoku/solver.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "base/random.h"
#include "tasks/sudoku/generate.h"
#include "tasks/sudoku/test_support.h"
#include "tasks/sudoku/verify.h"

namespace mgdm::tasks::sudoku {
namespace {

int count_by(Rules rules, const Grid& puzzle, int limit) {
  int count = 0;
  std::uint64_t branches = 0;
  search(Candidates(puzzle), rules, branches, [&](const Grid&) { return ++count < limit; });
  return count;
}

TEST(SudokuSolver, SolvesAKnownPuzzle) {
  const Grid puzzle = parse_grid(kPuzzle);
  ASSERT_TRUE(first_solution(puzzle));
  EXPECT_EQ(render(*first_solution(puzzle)), kSolution);
  EXPECT_TRUE(has_unique_solution(puzzle));
  EXPECT_EQ(first_solution(parse_grid(kSolution)), parse_grid(kSolution));
}

TEST(SudokuSolver, CountsSolutions) {
  // Three rectangles a b / b a, each within two boxes and in rows of its own: two ways for each.
  Grid several = parse_grid(kSolution);
  for (const std::size_t cell : {3u, 4u, 30u, 31u, 48u, 50u, 66u, 68u, 16u, 17u, 61u, 62u})
    several[cell] = 0;
  EXPECT_EQ(count_solutions(several, 1000), 8);
  EXPECT_EQ(count_solutions(several, 8), 8);
  EXPECT_EQ(count_solutions(several, 7), 7);
  EXPECT_EQ(count_solutions(several, 0), 0);
  EXPECT_FALSE(has_unique_solution(several));
  EXPECT_EQ(count_solutions(Grid{}, 500), 500);
}

TEST(SudokuSolver, FindsContradictions) {
  Grid twice{};
  twice[0] = twice[8] = 5;  // the same row
  EXPECT_EQ(first_solution(twice), std::nullopt);
  EXPECT_EQ(count_solutions(twice, 2), 0);

  Grid full = parse_grid(kSolution);
  std::swap(full[0], full[1]);  // breaks two columns
  EXPECT_EQ(first_solution(full), std::nullopt);

  // Row 1 lacks only a 9, and column 9 has one already.
  const Grid empty_cell =
      parse_grid("12345678." + std::string(8, '.') + "9" + std::string(63, '.'));
  EXPECT_EQ(first_solution(empty_cell), std::nullopt);

  // Row 1 has no place left for a 1: the ones below forbid box 1, box 2 and columns 7 to 9.
  Grid no_place{};
  no_place[9 * 1 + 0] = 1;
  no_place[9 * 2 + 3] = 1;
  no_place[9 * 3 + 6] = 1;
  no_place[9 * 6 + 7] = 1;
  no_place[8] = 2;
  EXPECT_EQ(first_solution(no_place), std::nullopt);
}

// Stronger rules prune the search and never the solutions.
TEST(SudokuSolver, RulesDoNotChangeTheCount) {
  for (std::uint32_t item = 0; item < 12; ++item) {
    Stream random(0, Purpose::kTest, item);
    Grid puzzle = minimal_puzzle(random_solution(random), random);
    for (int blanked = 0; blanked < 4;) {
      std::uint8_t& cell = puzzle[random.below(81)];
      if (cell != 0) cell = 0, ++blanked;
    }
    const int count = count_by(Rules::kLocked, puzzle, 50);
    EXPECT_GT(count, 1);
    EXPECT_EQ(count, count_by(Rules::kSingles, puzzle, 50));
    EXPECT_EQ(count, count_by(Rules::kNakedSingles, puzzle, 50));
  }
}

TEST(SudokuSolver, SolutionsAreDistinctAndTrue) {
  Stream random(0, Purpose::kTest, 0);
  Grid puzzle = minimal_puzzle(random_solution(random), random);
  for (int blanked = 0; blanked < 3;) {
    std::uint8_t& cell = puzzle[random.below(81)];
    if (cell != 0) cell = 0, ++blanked;
  }
  std::set<Grid> seen;
  std::uint64_t branches = 0;
  search(Candidates(puzzle), Rules::kLocked, branches, [&](const Grid& grid) {
    EXPECT_TRUE(is_solution(puzzle, render(grid)));
    EXPECT_TRUE(seen.insert(grid).second);
    return seen.size() < 100;
  });
  EXPECT_GT(seen.size(), 1u);
}

}  // namespace
}  // namespace mgdm::tasks::sudoku
