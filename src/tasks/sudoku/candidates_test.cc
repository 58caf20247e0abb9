#include "tasks/sudoku/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mgdm::tasks::sudoku {
namespace {

constexpr std::size_t at(std::size_t row, std::size_t column) {  // from 1, as people count
  return 9 * (row - 1) + column - 1;
}

// What stands at `cell` once the rules have said all they can.
int placed_after(Rules rules, const Grid& givens, std::size_t cell) {
  Candidates state(givens);
  EXPECT_TRUE(state.propagate(rules));
  return state.placed()[cell];
}

TEST(SudokuCandidates, NakedSingle) {
  // Row, column and box of row 1 column 1 show eight digits between them.
  Grid givens{};
  givens[at(1, 4)] = 1;
  givens[at(1, 5)] = 2;
  givens[at(1, 6)] = 3;
  givens[at(4, 1)] = 4;
  givens[at(5, 1)] = 5;
  givens[at(6, 1)] = 6;
  givens[at(2, 2)] = 7;
  EXPECT_EQ(placed_after(Rules::kNakedSingles, givens, at(1, 1)), 0);
  givens[at(3, 3)] = 8;
  EXPECT_EQ(placed_after(Rules::kNakedSingles, givens, at(1, 1)), 9);
}

TEST(SudokuCandidates, HiddenSingleInABox) {
  // Two rows and two columns leave box 1 one place for a 1, among nine candidates.
  Grid givens{};
  givens[at(2, 4)] = givens[at(3, 7)] = givens[at(4, 2)] = givens[at(7, 3)] = 1;
  EXPECT_EQ(placed_after(Rules::kNakedSingles, givens, at(1, 1)), 0);
  EXPECT_EQ(placed_after(Rules::kSingles, givens, at(1, 1)), 1);
}

TEST(SudokuCandidates, HiddenSingleInARowAndAColumn) {
  // Row 5: boxes 4 and 5 have a 1 elsewhere, two columns of box 6 too.
  Grid row{};
  row[at(4, 1)] = row[at(6, 4)] = row[at(1, 7)] = row[at(8, 8)] = 1;
  EXPECT_EQ(placed_after(Rules::kNakedSingles, row, at(5, 9)), 0);
  EXPECT_EQ(placed_after(Rules::kSingles, row, at(5, 9)), 1);

  Grid column{};  // the same, transposed
  column[at(1, 4)] = column[at(4, 6)] = column[at(7, 1)] = column[at(8, 8)] = 1;
  EXPECT_EQ(placed_after(Rules::kSingles, column, at(9, 5)), 1);
}

TEST(SudokuCandidates, LockedCandidates) {
  // Box 2 has two places for a 1, row 1 and row 3 of column 6: row 2 is full there, columns 4 and 5
  // have their 1. But box 1 has room for its 1 in row 1 only, so box 2 has it in row 3.
  Grid givens = parse_grid("......... 234568... 567......" + std::string(54, '.'));
  givens[at(5, 4)] = givens[at(9, 5)] = 1;
  for (std::size_t band = 0; band < 3; ++band) {
    const std::size_t place = (at(3, 6) + 27 * band) % kCells;
    EXPECT_EQ(placed_after(Rules::kSingles, givens, place), 0) << band;
    EXPECT_EQ(placed_after(Rules::kLocked, givens, place), 1) << band;

    Grid transposed{};
    for (std::size_t cell = 0; cell < kCells; ++cell)
      transposed[9 * column_of(cell) + row_of(cell)] = givens[cell];
    const std::size_t across = 9 * column_of(place) + row_of(place);
    EXPECT_EQ(placed_after(Rules::kSingles, transposed, across), 0) << band;
    EXPECT_EQ(placed_after(Rules::kLocked, transposed, across), 1) << band;
    std::rotate(givens.begin(), givens.end() - 27, givens.end());  // one band down
  }
}

TEST(SudokuCandidates, BranchesOnTheFewestThenTheLowest) {
  Grid givens{};
  givens[at(9, 1)] = 1;
  givens[at(9, 2)] = 2;
  givens[at(9, 4)] = 3;
  const Candidates::Branch branch = Candidates(givens).branch();
  // Three digits are gone in the rest of row 9; column 3 is its first open cell, in box 7.
  EXPECT_EQ(branch.cell, at(9, 3));
  EXPECT_EQ(branch.count, 6u);
  EXPECT_EQ(branch.digits, (std::array<std::uint8_t, 9>{4, 5, 6, 7, 8, 9, 0, 0, 0}));
  EXPECT_EQ(Candidates().branch().cell, 0u);
  EXPECT_EQ(Candidates().branch().count, 9u);
}

TEST(SudokuCandidates, ContradictionsAreSeen) {
  Grid twice{};
  twice[at(1, 1)] = twice[at(1, 9)] = 3;
  EXPECT_FALSE(Candidates(twice).propagate(Rules::kNakedSingles));
  Candidates nothing_left;
  for (int digit = 1; digit <= 9; ++digit) nothing_left.remove(at(5, 5), digit);
  EXPECT_FALSE(nothing_left.propagate(Rules::kNakedSingles));
  Candidates no_place;
  for (std::size_t column = 1; column <= 9; ++column) no_place.remove(at(1, column), 7);
  EXPECT_TRUE(Candidates(no_place).propagate(Rules::kNakedSingles));
  EXPECT_FALSE(no_place.propagate(Rules::kSingles));
}

}  // namespace
}  // namespace mgdm::tasks::sudoku
