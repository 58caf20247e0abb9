#include "tasks/sudoku/generate.h"

#include <gtest/gtest.h>

#include "tasks/sudoku/solver.h"
#include "tasks/sudoku/verify.h"

namespace mgdm::tasks::sudoku {
namespace {

bool keeps(const Grid& puzzle, const Grid& solution) {
  for (std::size_t cell = 0; cell < kCells; ++cell)
    if (puzzle[cell] != 0 && puzzle[cell] != solution[cell]) return false;
  return true;
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

TEST(SudokuGenerate, EasyPuzzlesAreLikeThePapers) {
  constexpr int kPuzzles = 500;
  int sum = 0;
  for (std::uint32_t item = 0; item < kPuzzles; ++item) {
    Stream random(3, Purpose::kTest, item);
    const Grid solution = random_solution(random);
    const Grid puzzle = easy_puzzle(solution, random);
    const int givens = count_givens(puzzle);
    EXPECT_GE(givens, 31);
    EXPECT_LE(givens, 36);
    sum += givens;
    EXPECT_TRUE(keeps(puzzle, solution));
    EXPECT_TRUE(falls_to(puzzle, Rules::kNakedSingles));
    EXPECT_EQ(count_solutions(puzzle, 2), 1);
  }
  // The standard deviation of a mean of 500 is 0.04.
  EXPECT_NEAR(static_cast<double>(sum) / kPuzzles, 33.8, 0.3);
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
