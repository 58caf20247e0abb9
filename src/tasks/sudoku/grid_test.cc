#include "tasks/sudoku/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "support/error_of.h"

namespace mgdm::tasks::sudoku {
namespace {

// The words of the Error that parsing `text` throws.
std::string complaint(std::string_view text) {
  return error_of([&] { parse_grid(text); });
}

TEST(SudokuGrid, EveryCellLiesInThreeUnits) {
  std::array<int, kCells> units{};
  for (const auto& unit : kUnits) {
    EXPECT_EQ(std::set(unit.begin(), unit.end()).size(), 9u);
    for (const std::uint8_t cell : unit) ++units[cell];
  }
  for (const int count : units) EXPECT_EQ(count, 3);
  // Row 5, column 9 is in box 6 (all from 1).
  EXPECT_EQ(kRow[44], 4);
  EXPECT_EQ(kColumn[44], 8);
  EXPECT_EQ(kBox[44], 5);
  EXPECT_EQ(kUnits[18 + 5], (std::array<std::uint8_t, 9>{33, 34, 35, 42, 43, 44, 51, 52, 53}));
  EXPECT_EQ(cell_name(44), "row 5 column 9");
}

TEST(SudokuGrid, ParsesBothBlanksAndRendersZeros) {
  std::string text(81, '.');
  text[0] = '5';
  text[1] = '0';
  text[80] = '9';
  const Grid grid = parse_grid(text);
  EXPECT_EQ(grid[0], 5);
  EXPECT_EQ(grid[1], 0);
  EXPECT_EQ(grid[80], 9);
  EXPECT_EQ(count_givens(grid), 2);
  EXPECT_EQ(render(grid), "5" + std::string(79, '0') + "9");
}

TEST(SudokuGrid, ParsesNineLines) {
  std::string text = "\n";
  for (int row = 1; row <= 9; ++row) text += std::string(9, static_cast<char>('0' + row)) + "\r\n";
  const Grid grid = parse_grid(text);
  for (std::size_t cell = 0; cell < kCells; ++cell) EXPECT_EQ(grid[cell], row_of(cell) + 1);
}

TEST(SudokuGrid, PassesOverFrames) {
  const std::string row = "5 3 _ | . 7 * | 0 . .", rule = "------+-------+------";
  std::string text;
  for (int i = 0; i < 9; ++i) text += row + (i % 3 == 2 && i < 8 ? " " + rule + " " : "\n");
  std::string cells;
  for (int i = 0; i < 9; ++i) cells += "530070000";
  EXPECT_EQ(render(parse_grid(text)), cells);
}

TEST(SudokuGrid, SaysWhatIsWrongAndWhere) {
  const std::string blank(81, '.');
  EXPECT_THAT(complaint(""), testing::HasSubstr("the grid has 0 cells"));
  EXPECT_THAT(complaint(blank.substr(1)), testing::HasSubstr("the grid has 80 cells"));
  EXPECT_THAT(complaint(blank + "1"), testing::HasSubstr("the grid has 82 cells"));
  EXPECT_THAT(complaint(blank + "q"), testing::HasSubstr("'q' after its 81 cells"));
  std::string wrong = blank;
  wrong[20] = 'q';
  EXPECT_THAT(complaint(wrong), testing::HasSubstr("'q' at row 3 column 3"));
  EXPECT_THAT(complaint(wrong), testing::HasSubstr("expected: 81 characters"));
  EXPECT_THAT(complaint(blank.substr(61) + "é"), testing::HasSubstr("'é' at row 3 column 3"));
  wrong[20] = '\xc3';
  EXPECT_THAT(complaint(wrong), testing::HasSubstr("'\\xc3' at row 3 column 3"));
}

}  // namespace
}  // namespace mgdm::tasks::sudoku
