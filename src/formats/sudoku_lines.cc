#include "formats/sudoku_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text.h"

namespace mgdm::formats {
namespace {

constexpr int kGridRows = 9;
constexpr std::size_t kGridColumns = 9;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_cell(char c) { return kSudokuPuzzle.find(c) != std::string_view::npos; }

// "------+-------+------", "+===+", ".---.".
bool is_frame(std::string_view line) {
  return (line.find("--") != std::string_view::npos || line.find("==") != std::string_view::npos) &&
         line.find_first_not_of("-=+|.:'* \t") == std::string_view::npos;
}

// "[", "]]," of a list of lists.
bool is_bracket(std::string_view line) {
  return line.find_first_of("[]") != std::string_view::npos &&
         line.find_first_not_of("[], \t") == std::string_view::npos;
}

// The nine cells of a row, or the 81 of a puzzle, between separators; some are empty or in quotes,
// as spreadsheets write them.
std::optional<std::string> cells_of_table(std::string_view line, char separator) {
  const auto columns = static_cast<std::size_t>(std::ranges::count(line, separator)) + 1;
  if (columns != kGridColumns && columns != kSudokuCells) return std::nullopt;
  std::string cells;
  for (const std::string_view field : split(line, separator)) {
    std::string_view cell = trim(field);
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
      cell = cell.substr(1, cell.size() - 2);
    if (cell.size() > 1) return std::nullopt;
    cells += cell.empty() ? '.' : cell.front();
  }
  return cells;
}

// The characters of a row without those between its cells.
std::string without_frame(std::string_view line) {
  for (const char separator : {',', ';', '\t'})
    if (auto cells = cells_of_table(line, separator)) return *cells;
  std::string cells(line);
  std::erase_if(cells, [](char c) {
    return std::string_view(" \t\r|,[]\"").find(c) != std::string_view::npos;
  });
  return cells;
}

// A row without the spaces at its end, which some editors cut off.
std::string_view without_blanks_at_end(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \r") + 1);
}

// The nine cells of such a row.
std::optional<std::string> cells_of_spaced(std::string_view line) {
  const bool blank = line == std::string(kGridColumns, ' ');
  line = without_blanks_at_end(line);
  if ((line.empty() && !blank) || line.size() > kGridColumns ||
      line.find_first_not_of(" 123456789") != std::string_view::npos)
    return std::nullopt;
  std::string cells(line);
  std::ranges::replace(cells, ' ', '.');
  cells.resize(kGridColumns, '.');
  return cells;
}

// "4 5 6 10 -> 24", "86,28,13,31,9", "86 28 13 31 9": other puzzles, with as many digits as a row
// has, perhaps. The digits of a row stand alone, by threes, or all side by side.
bool are_numbers(std::string_view line) {
  if (line.find("->") != std::string_view::npos) return true;
  if (line.find_first_not_of(" ,0123456789") != std::string_view::npos) return false;
  std::size_t digits = 0;  // of the first number
  for (const std::string_view field : split(line, ','))
    for (const std::string_view word : split(field, ' ')) {
      if (word.empty()) continue;
      if (digits == 0)
        digits = word.size();
      else if (word.size() != digits || kGridColumns % digits != 0)
        return true;
    }
  return false;
}

std::ptrdiff_t strangers(std::string_view line, std::string_view known) {
  return std::ranges::count_if(line,
                               [&](char c) { return known.find(c) == std::string_view::npos; });
}
constexpr std::ptrdiff_t kSlips = 2;  // characters that may be wrong in a row

bool may_be_spaced_row_with_slips(std::string_view line) {
  line = without_blanks_at_end(line);
  return line.size() <= kGridColumns && strangers(line, " 123456789") <= kSlips &&
         line.find(',') == std::string_view::npos && line.find("->") == std::string_view::npos;
}

// It has a word, and nothing that looks like cells: a puzzle with a slip is no title.
bool may_be_title(std::string_view line) {
  const bool word = std::ranges::adjacent_find(line, [](char a, char b) {
                      return is_letter(a) && is_letter(b);
                    }) != line.end();
  return word && !looks_like_cells(line);
}

Error no_puzzle(std::string_view line) {
  return Error(fmt::format("no puzzle in {}", in_quotes(line)),
               fmt::format("a column of 81 characters, or nine lines of nine: digits 1-9, and {} "
                           "for a blank cell",
                           kSudokuBlankWords));
}

}  // namespace

// Unicode's lines, U+2500 to U+257F, are E2 94 80 to E2 95 BF: upright ones as '|', others as '-'.
// Unicode's dots and boxes are blanks.
std::string with_plain_signs(std::string_view line) {
  if (std::ranges::all_of(line, [](char c) { return (c & 0x80) == 0; })) return std::string(line);
  std::string plain;
  while (!line.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(line));
    const std::string_view sign = line.substr(0, length);
    if (sign == "·" || sign == "□")
      plain += '.';
    else if (sign == "│" || sign == "┃" || sign == "║")
      plain += '|';
    else if (length == 3 && (sign.starts_with("\xe2\x94") || sign.starts_with("\xe2\x95")))
      plain += '-';
    else
      plain += sign;
    line.remove_prefix(length);
  }
  return plain;
}

bool is_sudoku_table_row(std::string_view line) {
  return cells_of_table(with_plain_signs(line), '\t').has_value();
}

bool is_sudoku_in_columns(std::string_view line) {
  const std::string plain = with_plain_signs(line);
  return std::ranges::any_of(std::string_view(",;\t"), [&](char separator) {
    return is_sudoku(cells_of_table(plain, separator).value_or(""));
  });
}

bool begins_spaced_sudoku_grid(std::string_view line) {
  return without_blanks_at_end(line).find("  ") != std::string_view::npos && cells_of_spaced(line);
}

bool may_be_sudoku_row(std::string_view line) {
  if (may_be_spaced_row_with_slips(line) || is_frame(trim(line))) return true;
  const std::string cells = without_frame(with_plain_signs(line));
  return !are_numbers(line) && cells.size() + kSlips >= kGridColumns &&
         cells.size() <= kGridColumns + kSlips && strangers(cells, kSudokuPuzzle) <= kSlips;
}

bool begins_sudoku_grid(std::string_view line) {
  if (are_numbers(line)) return false;
  const std::string cells = without_frame(with_plain_signs(line));
  return cells.size() == kGridColumns &&
         (std::ranges::count_if(cells, is_plain_cell) > 4 || std::ranges::all_of(cells, is_cell));
}

std::optional<std::string> sudoku_column(std::string_view line) {
  constexpr std::string_view kBetween = " \t,\"";
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view column = rest.substr(0, rest.find_first_of(kBetween));
    if (is_sudoku(column)) return with_zeros(column);
    rest.remove_prefix(std::min(rest.size(), column.size() + 1));
  }
  const std::string cells = without_frame(line);
  if (is_sudoku(cells)) return with_zeros(cells);
  return std::nullopt;
}

void SudokuLines::add(std::string_view drawn, std::size_t number) {
  if (add_spaced(drawn, number)) return;
  const std::string plain = with_plain_signs(drawn);
  // The first cells of a table's row may be blank.
  const bool is_table =
      cells_of_table(plain, '\t') && (!trim(plain).empty() || is_blank_row(plain));
  const std::string_view line = is_table ? plain : trim(plain);
  if (line.empty() || line.front() == '#' || is_bracket(line)) return;
  if (is_frame(line) && !is_blank_row(line)) return;
  const bool first = !std::exchange(any_, true);
  if (grid_ && !may_be_sudoku_row(drawn)) end_grid();  // it was short
  if (auto puzzle = sudoku_column(line)) {
    end_grid();
    if (!title_is_first_) complain_of_title();
    title_.reset();
    outlet_.give(number, [&] { return SudokuRecord{*std::move(puzzle), std::nullopt}; });
  } else if (grid_ || begins_sudoku_grid(line)) {
    title_.reset();
    add_row(line, without_frame(line), number);
  } else {
    complain_of_title();
    title_ = Line{std::string(line), number};
    title_is_first_ = first;
    if (!may_be_title(line)) complain_of_title();
  }
}

// Whether the line is a row whose blanks are spaces: it then has been added.
bool SudokuLines::add_spaced(std::string_view line, std::size_t number) {
  if (begins_spaced_sudoku_grid(line)) {  // perhaps after rows without a blank
    if (!grid_) grid_ = Grid{.number = number};
    if (grid_->cells.find_first_not_of(kSudokuSolution) == std::string::npos) grid_->spaced = true;
  }
  if (!grid_ || !grid_->spaced) return false;
  const auto cells = cells_of_spaced(line);
  if (!cells) return false;
  any_ = true;
  title_.reset();
  add_row(line, *cells, number);
  return true;
}

// Nine times '-', or nothing between tabs, in a grid that has such blanks elsewhere: otherwise it
// is a line between boxes. A grid that begins so is not read.
bool SudokuLines::is_blank_row(std::string_view line) const {
  const std::string cells = without_frame(line);
  return grid_ &&
         (cells == std::string(kGridColumns, '-') || cells == std::string(kGridColumns, '.')) &&
         grid_->cells.find(cells.front()) != std::string::npos;
}

void SudokuLines::finish() {
  end_grid();
  complain_of_title();
}

void SudokuLines::add_row(std::string_view line, const std::string& cells, std::size_t number) {
  if (!grid_) grid_ = Grid{.number = number};
  if (!grid_->wrong && (cells.size() != kGridColumns || !std::ranges::all_of(cells, is_cell)))
    grid_->wrong = Line{std::string(line), number};
  grid_->cells += cells;
  if (++grid_->rows == kGridRows) end_grid();
}

void SudokuLines::end_grid() {
  if (!grid_) return;
  const Grid grid = *std::exchange(grid_, std::nullopt);
  const std::string expected = fmt::format(
      "nine lines of nine cells: digits 1-9, and {} for a blank cell", kSudokuBlankWords);
  outlet_.give(grid.wrong ? grid.wrong->number : grid.number, [&] {
    if (grid.wrong)
      throw Error(fmt::format("{} is no row of the grid that begins at line {}",
                              in_quotes(grid.wrong->text), grid.number),
                  expected);
    if (grid.rows < kGridRows)
      throw Error(fmt::format("the grid that begins here has {} row{}", grid.rows,
                              grid.rows == 1 ? "" : "s"),
                  expected);
    return SudokuRecord{with_zeros(grid.cells), std::nullopt};
  });
}

void SudokuLines::complain_of_title() {
  if (!title_) return;
  const Line line = *std::exchange(title_, std::nullopt);
  outlet_.give(line.number, [&]() -> SudokuRecord { throw no_puzzle(line.text); });
}

}  // namespace mgdm::formats
