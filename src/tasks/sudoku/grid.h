// A Sudoku grid: 81 cells row by row, 0 for a blank, and where each cell lies.
//
// Rows, columns and boxes count from 0 here and from 1 in words for people.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mgdm::tasks::sudoku {

inline constexpr std::size_t kCells = 81;

using Grid = std::array<std::uint8_t, kCells>;

constexpr std::size_t row_of(std::size_t cell) { return cell / 9; }
constexpr std::size_t column_of(std::size_t cell) { return cell % 9; }
constexpr std::size_t box_of(std::size_t cell) { return cell / 27 * 3 + cell % 9 / 3; }

// The cells of the 27 units, ascending: rows 0..8, columns 9..17, boxes 18..26.
inline constexpr auto kUnits = [] {
  std::array<std::array<std::uint8_t, 9>, 27> units{};
  std::array<std::size_t, 27> size{};
  for (std::size_t cell = 0; cell < kCells; ++cell)
    for (const std::size_t unit : {row_of(cell), 9 + column_of(cell), 18 + box_of(cell)})
      units[unit][size[unit]++] = static_cast<std::uint8_t>(cell);
  return units;
}();

// row_of, column_of and box_of as tables, for loops where a division would be felt.
constexpr auto tabulate(std::size_t (*of)(std::size_t)) {
  std::array<std::uint8_t, kCells> table{};
  for (std::size_t cell = 0; cell < kCells; ++cell)
    table[cell] = static_cast<std::uint8_t>(of(cell));
  return table;
}
inline constexpr auto kRow = tabulate(row_of);
inline constexpr auto kColumn = tabulate(column_of);
inline constexpr auto kBox = tabulate(box_of);

// "row 3 column 7".
std::string cell_name(std::size_t cell);

// 81 characters, '0', '.', '_', '*', '?' or 'x' for a blank; white space and the lines of a frame,
// '|' and
// "---+---", are ignored, so nine lines of nine will do. Throws Error otherwise.
Grid parse_grid(std::string_view text);

// 81 characters '0'..'9'.
std::string render(const Grid& grid);

int count_givens(const Grid& grid);

}  // namespace mgdm::tasks::sudoku
