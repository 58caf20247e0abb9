#include "tasks/sudoku/grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::tasks::sudoku {
namespace {

constexpr const char* kExpected =
    "81 characters: digits 1-9, and 0, '.', '_', '*', '?' or 'x' for a blank cell";

// What a character means: a digit, or one of these. A table, since verifying an answer parses its
// puzzle and a branch on blank or given would be mispredicted every other time.
constexpr std::uint8_t kBetween = 10, kWrong = 11;
constexpr auto kMeaning = [] {
  std::array<std::uint8_t, 256> meaning{};
  meaning.fill(kWrong);
  for (const char c : {' ', '\t', '\r', '\n', '\v', '\f', '|', '-', '+', '='})
    meaning[static_cast<unsigned char>(c)] = kBetween;
  for (unsigned digit = 0; digit <= 9; ++digit)
    meaning['0' + digit] = static_cast<std::uint8_t>(digit);
  for (const char c : {'.', '_', '*', '?', 'x', 'X'}) meaning[static_cast<unsigned char>(c)] = 0;
  return meaning;
}();

}  // namespace

std::string cell_name(std::size_t cell) {
  return fmt::format("row {} column {}", row_of(cell) + 1, column_of(cell) + 1);
}

Grid parse_grid(std::string_view text) {
  Grid grid{};
  std::size_t cells = 0;
  for (const char& c : text) {
    const std::uint8_t digit = kMeaning[static_cast<unsigned char>(c)];
    if (digit == kBetween) continue;
    if (digit == kWrong) {
      const std::string_view rest = text.substr(static_cast<std::size_t>(&c - text.data()));
      const std::string seen =
          in_quotes(rest.substr(0, std::max<std::size_t>(1, utf8_length(rest))));
      throw Error(cells < kCells ? fmt::format("the grid has {} at {}", seen, cell_name(cells))
                                 : fmt::format("the grid has {} after its 81 cells", seen),
                  kExpected);
    }
    if (cells < kCells) grid[cells] = digit;
    ++cells;
  }
  if (cells != kCells) throw Error(fmt::format("the grid has {} cells", cells), kExpected);
  return grid;
}

std::string render(const Grid& grid) {
  std::string text(kCells, '0');
  for (std::size_t cell = 0; cell < kCells; ++cell)
    text[cell] = static_cast<char>('0' + grid[cell]);
  return text;
}

int count_givens(const Grid& grid) {
  return static_cast<int>(kCells) -
         static_cast<int>(std::count(grid.begin(), grid.end(), std::uint8_t{0}));
}

}  // namespace mgdm::tasks::sudoku
