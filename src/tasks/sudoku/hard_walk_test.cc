#include "tasks/sudoku/hard_walk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tasks/sudoku/generate.h"
#include "tasks/sudoku/solver.h"

namespace mgdm::tasks::sudoku {
namespace {

constexpr double kHard = 20;

HardWalk::Found first_hard(HardWalk& walk) {
  HardWalk::Found found = walk.step();
  for (int steps = 1; found.guesses < kHard && steps < 20'000; ++steps) found = walk.step();
  return found;
}

TEST(HardWalk, FindsMinimalPuzzlesThatAreHardInEveryForm) {
  constexpr int kPuzzles = 20, kForms = 16;
  HardWalk walk(Stream(1, Purpose::kTest, 1));
  Stream random(1, Purpose::kTest, 2);
  double sum = 0;
  for (int k = 0; k < kPuzzles; ++k) {
    const HardWalk::Found found = first_hard(walk);
    ASSERT_GE(found.guesses, kHard);
    EXPECT_EQ(first_solution(found.puzzle), found.solution);
    EXPECT_EQ(count_solutions(found.puzzle, 2), 1);
    EXPECT_EQ(minimal_puzzle(found.puzzle, found.solution, random), found.puzzle);
    for (int form = 0; form < kForms; ++form)
      sum += std::log1p(
          static_cast<double>(grade(random_symmetry(random).apply(found.puzzle)).guesses));
  }
  // In forms that the walk has not seen. Random minimal puzzles with 50 guesses in one form
  // have 11.
  EXPECT_GT(std::expm1(sum / (kPuzzles * kForms)), 15);
}

TEST(HardWalk, IsAFunctionOfItsStream) {
  const auto puzzles = [](std::uint32_t item) {
    HardWalk walk(Stream(2, Purpose::kTest, item));
    std::vector<Grid> made;
    for (int k = 0; k < 50; ++k) made.push_back(walk.step().puzzle);
    return made;
  };
  EXPECT_EQ(puzzles(1), puzzles(1));
  EXPECT_NE(puzzles(1), puzzles(2));
}

}  // namespace
}  // namespace mgdm::tasks::sudoku
