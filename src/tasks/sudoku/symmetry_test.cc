#include "tasks/sudoku/symmetry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tasks/sudoku/generate.h"
#include "tasks/sudoku/solver.h"
#include "tasks/sudoku/verify.h"
#include "tasks/task.h"

namespace mgdm::tasks::sudoku {
namespace {

// Which cell of the original each cell of the result is, as a list of 81.
std::vector<std::size_t> moves(const Symmetry& symmetry, const Symmetry& then = {}) {
  Grid rows, columns;
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    rows[cell] = static_cast<std::uint8_t>(row_of(cell) + 1);
    columns[cell] = static_cast<std::uint8_t>(column_of(cell) + 1);
  }
  rows = then.apply(symmetry.apply(rows));
  columns = then.apply(symmetry.apply(columns));
  std::vector<std::size_t> from;
  for (std::size_t cell = 0; cell < kCells; ++cell)
    from.push_back(9 * std::size_t{rows[cell]} + columns[cell] - 10);
  return from;
}

TEST(SudokuSymmetry, TheDefaultIsTheIdentity) {
  Stream random(6, Purpose::kTest, 0);
  const Grid grid = random_solution(random);
  EXPECT_EQ(Symmetry{}.apply(grid), grid);
  EXPECT_EQ(Symmetry{}.inverse(), Symmetry{});
}

TEST(SudokuSymmetry, TransposesFirst) {
  Symmetry symmetry;
  symmetry.transpose = true;
  std::swap(symmetry.rows[0], symmetry.rows[1]);
  std::swap(symmetry.digits[1], symmetry.digits[2]);
  Grid grid{};
  grid[9 * 4 + 1] = 1;  // row 5 column 2 goes to row 2 column 5, then to row 1
  const Grid result = symmetry.apply(grid);
  EXPECT_EQ(result[4], 2);
  EXPECT_EQ(count_givens(result), 1);
}

TEST(SudokuSymmetry, SaysWhereEachCellGoes) {
  Stream random(8, Purpose::kTest, 0);
  for (int i = 0; i < 20; ++i) {
    const Grid grid = random_solution(random);
    const Symmetry symmetry = random_symmetry(random);
    const Grid result = symmetry.apply(grid);
    const auto places = symmetry.places();
    for (std::size_t cell = 0; cell < kCells; ++cell)
      EXPECT_EQ(result[places[cell]], symmetry.digits[grid[cell]]);
  }
}

TEST(SudokuSymmetry, InverseUndoesOnBothSides) {
  Stream random(7, Purpose::kTest, 0);
  for (int i = 0; i < 200; ++i) {
    const Grid grid = random_solution(random);
    const Symmetry symmetry = random_symmetry(random);
    EXPECT_EQ(symmetry.inverse().apply(symmetry.apply(grid)), grid);
    EXPECT_EQ(symmetry.apply(symmetry.inverse().apply(grid)), grid);
    EXPECT_EQ(symmetry.inverse().inverse(), symmetry);
  }
}

TEST(SudokuSymmetry, KeepsPuzzlesWithTheirSolutions) {
  Stream random(8, Purpose::kTest, 0);
  for (int i = 0; i < 50; ++i) {
    const Grid solution = random_solution(random);
    const Grid puzzle = easy_puzzle(solution, random);
    const Symmetry symmetry = random_symmetry(random);
    const Grid copy = symmetry.apply(puzzle);
    EXPECT_TRUE(is_solution(copy, render(symmetry.apply(solution))));
    EXPECT_EQ(count_givens(copy), count_givens(puzzle));
    EXPECT_TRUE(falls_to(copy, Rules::kNakedSingles));
  }
}

// One after the other is a third: read off from two lines of the result, it does the rest too.
TEST(SudokuSymmetry, ClosedUnderComposition) {
  Stream random(9, Purpose::kTest, 0);
  for (int i = 0; i < 100; ++i) {
    Symmetry first = random_symmetry(random), second = random_symmetry(random);
    first.digits = second.digits = Symmetry{}.digits;
    const auto both = moves(first, second);
    Symmetry third;
    third.transpose = first.transpose != second.transpose;
    for (std::size_t line = 0; line < 9; ++line) {
      const std::size_t down = both[9 * line], across = both[line];
      third.rows[line] = third.transpose ? kColumn[down] : kRow[down];
      third.columns[line] = third.transpose ? kRow[across] : kColumn[across];
    }
    EXPECT_EQ(moves(third), both);
    for (const auto& lines : {third.rows, third.columns})
      for (std::size_t line = 0; line < 9; ++line)
        EXPECT_EQ(lines[line] / 3, lines[line / 3 * 3] / 3) << "a band or stack was torn";
  }
}

TEST(SudokuSymmetry, DrawsAreSpreadOverTheGroup) {
  std::map<std::uint8_t, int> first_row, last_row, first_column, image_of_one;
  int transposed = 0;
  constexpr int kDraws = 1800;
  Stream random(10, Purpose::kTest, 0);
  for (int i = 0; i < kDraws; ++i) {
    const Symmetry symmetry = random_symmetry(random);
    ++first_row[symmetry.rows[0]];
    ++last_row[symmetry.rows[8]];
    ++first_column[symmetry.columns[0]];
    ++image_of_one[symmetry.digits[1]];
    transposed += symmetry.transpose;
    EXPECT_EQ(symmetry.digits[0], 0);
  }
  // Binomial: mean 200, standard deviation 13.3; and 900 with 21.2.
  for (const auto& counts : {first_row, last_row, first_column, image_of_one}) {
    EXPECT_EQ(counts.size(), 9u);
    for (const auto& [value, count] : counts) EXPECT_NEAR(count, 200, 5 * 13.3);
  }
  EXPECT_NEAR(transposed, 900, 5 * 21.2);
}

TEST(SudokuInvariant, NoSymmetryChangesIt) {
  Stream random(11, Purpose::kTest, 0);
  for (int i = 0; i < 100; ++i) {
    const Grid solution = random_solution(random);
    const std::string form = invariant(solution);
    EXPECT_EQ(form.size(), 18u);
    for (int j = 0; j < 5; ++j) ASSERT_EQ(invariant(random_symmetry(random).apply(solution)), form);
  }
}

// By hand: within a band a row is another one plus 3 or 6 modulo 9, a permutation with three cycles
// of three; within a stack a column is another one plus 1 or 2, a single cycle of nine.
TEST(SudokuInvariant, OfTheShiftedGrid) {
  Grid grid;
  for (std::size_t r = 0; r < 9; ++r)
    for (std::size_t c = 0; c < 9; ++c)
      grid[9 * r + c] = static_cast<std::uint8_t>((c + 3 * r + r / 3) % 9 + 1);
  ASSERT_TRUE(is_solution(Grid{}, render(grid)));
  EXPECT_EQ(invariant(grid), "aaaaaaaaaggggggggg");
}

TEST(SudokuInvariant, IsDiverseAndPutsATenthIntoTheTest) {
  constexpr int kGrids = 3000;
  std::map<std::string, int> forms;
  int test = 0;
  for (std::uint32_t item = 0; item < kGrids; ++item) {
    Stream random(12, Purpose::kTest, item);
    const std::string form = invariant(random_solution(random));
    ++forms[form];
    test += in_test_split(form);
  }
  int most = 0;
  for (const auto& [form, count] : forms) most = std::max(most, count);
  EXPECT_GT(forms.size(), 2900u);
  EXPECT_LE(most, 5);
  // Nearly independent draws: mean 300, standard deviation 16.4.
  EXPECT_NEAR(test, 300, 5 * 16.4);
}

}  // namespace
}  // namespace mgdm::tasks::sudoku
