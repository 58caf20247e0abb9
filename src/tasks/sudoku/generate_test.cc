#include "tasks/sudoku/generate.h"

#include <gtest/gtest.h>

#include <set>

#include "tasks/sudoku/solver.h"
#include "tasks/sudoku/verify.h"

namespace mgdm::tasks::sudoku {
namespace {

bool keeps(const Grid& puzzle, const Grid& solution) {
  for (std::size_t cell = 0; cell < kCells; ++cell)
    if (puzzle[cell] != 0 && puzzle[cell] != solution[cell]) return false;
  return true;
}

int digits_seen_by(const Grid& puzzle, std::size_t cell) {
  std::set<int> seen;
  for (const std::size_t unit : {row_of(cell), 9 + column_of(cell), 18 + box_of(cell)})
    for (const std::uint8_t other : kUnits[unit]) seen.insert(puzzle[other]);
  seen.erase(0);
  return static_cast<int>(seen.size());
}

TEST(SudokuGenerate, SolutionsObeyTheRulesAndVary) {
  constexpr int kGrids = 1800;
  std::array<std::array<int, 10>, kCells> counts{};
  for (std::uint32_t item = 0; item < kGrids; ++item) {
    Stream random(2, Purpose::kTest, item);
    const Grid solution = random_solution(random);
    ASSERT_TRUE(is_solution(Grid{}, render(solution)));
    for (std::size_t cell = 0; cell < kCells; ++cell) ++counts[cell][solution[cell]];
  }
  // Binomial with mean 200 and standard deviation 13.3; 729 counts stay within six of them.
  for (const auto& cell : counts)
    for (std::size_t digit = 1; digit <= 9; ++digit) EXPECT_NEAR(cell[digit], 200, 6 * 13.3);
}

// The expected values are those of the paper's first 200 test puzzles.
TEST(SudokuGenerate, EasyPuzzlesAreLikeThePapers) {
  constexpr int kPuzzles = 500;
  int givens = 0, blanks = 0, at_once = 0;
  for (std::uint32_t item = 0; item < kPuzzles; ++item) {
    Stream random(3, Purpose::kTest, item);
    const Grid solution = random_solution(random);
    const Grid puzzle = easy_puzzle(solution, random);
    EXPECT_GE(count_givens(puzzle), 30);
    EXPECT_LE(count_givens(puzzle), 37);
    givens += count_givens(puzzle);
    EXPECT_TRUE(keeps(puzzle, solution));
    EXPECT_TRUE(falls_to(puzzle, Rules::kSingles));
    EXPECT_EQ(count_solutions(puzzle, 2), 1);
    blanks += static_cast<int>(kCells) - count_givens(puzzle);
    for (std::size_t cell = 0; cell < kCells; ++cell)
      at_once += puzzle[cell] == 0 && digits_seen_by(puzzle, cell) == 8;
  }
  // Standard deviations of means of 500: 0.04, and 0.003 by that of single puzzles, 0.06.
  EXPECT_NEAR(static_cast<double>(givens) / kPuzzles, 33.72, 0.2);
  EXPECT_NEAR(static_cast<double>(at_once) / blanks, 0.213, 0.015);
}

TEST(SudokuGenerate, MinimalPuzzlesNeedEveryGiven) {
  int guessing = 0;
  constexpr int kPuzzles = 60;
  for (std::uint32_t item = 0; item < kPuzzles; ++item) {
    Stream random(4, Purpose::kTest, item);
    const Grid solution = random_solution(random);
    const Grid puzzle = minimal_puzzle(solution, random);
    EXPECT_TRUE(keeps(puzzle, solution));
    ASSERT_EQ(count_solutions(puzzle, 2), 1);
    EXPECT_EQ(first_solution(puzzle), solution);
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      if (puzzle[cell] == 0) continue;
      Grid fewer = puzzle;
      fewer[cell] = 0;
      EXPECT_EQ(count_solutions(fewer, 2), 2) << cell_name(cell) << " is not needed";
    }
    guessing += grade(puzzle).level == Level::kGuessing;
  }
  // About 58 in 100 are beyond singles: hard they are, on average.
  EXPECT_GT(guessing, kPuzzles / 4);
}

TEST(SudokuGenerate, APuzzleIsAFunctionOfItsStream) {
  const auto make = [](std::uint32_t item) {
    Stream random(5, Purpose::kTest, item);
    const Grid solution = random_solution(random);
    return minimal_puzzle(solution, random);
  };
  EXPECT_EQ(make(1), make(1));
  EXPECT_NE(make(1), make(2));
}

}  // namespace
}  // namespace mgdm::tasks::sudoku
