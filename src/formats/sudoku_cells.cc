#include "formats/sudoku_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::formats {
namespace {

constexpr std::size_t kWidths[] = {9, 27};  // of the lines of a grid

// '-', '?' and 'x' also occur in titles, dates and frames.
bool is_plain_cell(char c) {
  return std::string_view("0123456789._*").find(c) != std::string_view::npos;
}

std::string with_zeros(std::string_view cells) {
  std::string digits(cells);
  for (char& c : digits)
    if (c < '1' || c > '9') c = '0';
  return digits;
}

// Unicode's lines, U+2500 to U+257F, are E2 94 80 to E2 95 BF: upright ones become '|', others '-'.
// Dots and boxes are blanks.
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

// "------+-------+------", "+===+", ".---.", and "[", "]]," of a list of lists.
bool is_frame(std::string_view line) {
  const bool drawn =
      line.find("--") != std::string_view::npos || line.find("==") != std::string_view::npos;
  return (drawn && line.find_first_not_of("-=+|.:'* \t") == std::string_view::npos) ||
         line.find_first_not_of("[], \t") == std::string_view::npos;
}

// The cells of a line between separators, some of them empty or in quotes.
std::optional<std::string> cells_of_table(std::string_view line) {
  for (const char separator : {',', ';', '\t', '|'}) {
    std::string_view row = separator == '\t' ? line : trim(line);
    if (separator == '|' && row.size() > 1 && row.front() == '|' && row.back() == '|')
      row = row.substr(1, row.size() - 2);
    const auto columns = static_cast<std::size_t>(std::ranges::count(row, separator)) + 1;
    if (columns != kSudokuCells && std::ranges::count(kWidths, columns) == 0) continue;
    std::string cells;
    for (const std::string_view field : split(row, separator)) {
      std::string_view cell = trim(field);
      if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
        cell = cell.substr(1, cell.size() - 2);
      if (cell.size() > 1) break;
      cells += cell.empty() ? '.' : cell.front();
    }
    if (cells.size() == columns) return cells;
  }
  return std::nullopt;
}

// The characters of a line without those between its cells.
std::string without_separators(std::string_view line) {
  if (auto cells = cells_of_table(line)) return *std::move(cells);
  std::string cells(line);
  std::erase_if(cells, [](char c) {
    return std::string_view(" \t\r|,;[]()\"'").find(c) != std::string_view::npos;
  });
  return cells;
}

// A row without the spaces at its end, which some editors cut off.
std::string_view without_blanks_at_end(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \r") + 1);
}

// How many characters are none of the known ones.
std::ptrdiff_t strangers(std::string_view line, std::string_view known) {
  std::array<bool, 256> is_known{};
  for (const char c : known) is_known[static_cast<unsigned char>(c)] = true;
  return std::ranges::count_if(line,
                               [&](char c) { return !is_known[static_cast<unsigned char>(c)]; });
}
constexpr std::ptrdiff_t kSlips = 2;  // characters that may be wrong in a row

// The nine cells of a row whose blanks are spaces.
std::optional<std::string> spaced_cells(std::string_view line) {
  const bool blank = line == "         ";
  line = without_blanks_at_end(line);
  if ((line.empty() && !blank) || line.size() > 9 || strangers(line, " 123456789") > 0)
    return std::nullopt;
  std::string cells(line);
  std::ranges::replace(cells, ' ', '.');
  cells.resize(9, '.');
  return cells;
}

// "4 5 6 10 -> 24", "86,28,13,31,9", "6,2/2,1": other puzzles, with as many digits as a row has,
// perhaps. The digits of a row stand alone, by threes, or all side by side.
bool are_numbers(std::string_view line) {
  if (line.find_first_of(">/") != std::string_view::npos) return true;
  if (strangers(line, " ,0123456789") > 0) return false;
  std::size_t digits = 0;  // of the first number
  for (const std::string_view field : split(line, ','))
    for (const std::string_view word : split(field, ' ')) {
      if (word.empty()) continue;
      if (digits == 0)
        digits = word.size();
      else if (word.size() != digits || 9 % digits != 0)
        return true;
    }
  return false;
}

}  // namespace

bool is_sudoku(std::string_view text, std::string_view characters) {
  return text.size() == kSudokuCells && strangers(text, characters) == 0;
}

bool looks_like_cells(std::string_view text) {
  constexpr std::size_t kRow = 9;
  std::size_t cells = 0, most = 0;
  for (const char c : text) most = std::max(most, cells = is_plain_cell(c) ? cells + 1 : 0);
  return most >= kRow || is_sudoku(text);
}

bool is_sudoku_row(std::string_view line) {
  const std::string cells = without_separators(with_plain_signs(line));
  return (is_sudoku(cells) || std::ranges::count(kWidths, cells.size()) > 0) &&
         strangers(cells, kSudokuPuzzle) == 0 && !are_numbers(line);
}

std::optional<SudokuRecord> sudoku_in_line(std::string_view line) {
  if (line.size() < kSudokuCells) return std::nullopt;
  if (is_sudoku(line)) return SudokuRecord{with_zeros(line), {}};
  const std::string plain = with_plain_signs(line);
  std::optional<std::string> puzzle, solution;
  std::size_t columns = 0;  // that may be puzzles, perhaps with a slip
  for (std::string_view rest = plain; !rest.empty();) {
    const std::string_view column = rest.substr(0, rest.find_first_of(" \t,;\"'"));
    rest.remove_prefix(std::min(rest.size(), column.size() + 1));
    columns += looks_like_cells(column) ? 1 : 0;
    if (!is_sudoku(column)) continue;
    std::optional<std::string>& first = is_sudoku(column, kSudokuSolution) ? solution : puzzle;
    if (!first) first = with_zeros(column);
  }
  if (!puzzle && !solution)
    if (const std::string cells = without_separators(plain); is_sudoku(cells))
      puzzle = with_zeros(cells);
  // A whole grid is a puzzle, too, but none beside a puzzle with a slip.
  if (!puzzle && columns == 1) puzzle = std::exchange(solution, std::nullopt);
  if (!puzzle) return std::nullopt;
  return SudokuRecord{*std::move(puzzle), std::move(solution)};
}

std::optional<std::string> find_sudoku(std::string_view text) {
  std::vector<std::string> found;
  SudokuGrid grid;
  bool first = true;  // a title may stand there
  for (const std::string_view line : split(text, '\n')) {
    if (auto record = sudoku_in_line(line); record && !grid.begun()) {
      found.push_back(std::move(record->puzzle));
    } else if (const auto took = grid.add(line, 1); took == SudokuGrid::Took::kNothing) {
      if (!first) return std::nullopt;
    } else if (grid.complete()) {
      try {
        found.push_back(std::exchange(grid, {}).puzzle());
      } catch (const Error&) {
        return std::nullopt;
      }
    }
    first = false;
  }
  if (grid.begun() || found.size() != 1) return std::nullopt;
  return found.front();
}

SudokuGrid::Took SudokuGrid::add(std::string_view drawn, std::size_t number) {
  if (add_spaced(drawn, number)) return Took::kRow;
  const std::string plain = with_plain_signs(drawn);
  const std::string_view line = trim(plain);
  const std::string cells = without_separators(plain);
  if (is_blank_row(cells) && !drawn.empty()) {
    add_row(line, cells, number);
    return Took::kRow;
  }
  if (line.empty() || is_frame(line)) return Took::kFrame;
  if (are_numbers(line)) return Took::kNothing;
  const std::ptrdiff_t wrong = strangers(cells, kSudokuPuzzle);
  if (!begun()) {
    if (std::ranges::count(kWidths, cells.size()) == 0 || wrong > kSlips ||
        (wrong > 0 && std::ranges::count_if(cells, is_plain_cell) <= 4))
      return Took::kNothing;
    width_ = cells.size();
  } else {
    const bool nearly =
        cells.size() + kSlips >= width_ && cells.size() <= width_ + kSlips && wrong <= kSlips;
    const bool nearly_spaced = spaced_ && without_blanks_at_end(drawn).size() <= 9 &&
                               strangers(drawn, " \r123456789") <= kSlips;
    if (!nearly && !nearly_spaced) return Took::kNothing;
  }
  add_row(line, cells, number);
  return Took::kRow;
}

// Two spaces side by side begin such a grid, perhaps after rows without a blank.
bool SudokuGrid::add_spaced(std::string_view line, std::size_t number) {
  const auto cells = spaced_cells(line);
  if (!cells || width_ != 9) return false;
  if (without_blanks_at_end(line).find("  ") != std::string_view::npos &&
      strangers(cells_, kSudokuSolution) == 0)
    spaced_ = true;
  if (spaced_) add_row(line, *cells, number);
  return spaced_;
}

// Nine times '-', or nothing between separators, in a grid that has such blanks elsewhere:
// otherwise it is a line between boxes. A grid that begins so is not read.
bool SudokuGrid::is_blank_row(std::string_view cells) const {
  return begun() && cells.size() == width_ && (cells[0] == '-' || cells[0] == '.') &&
         strangers(cells, cells.substr(0, 1)) == 0 && cells_.find(cells[0]) != std::string::npos;
}

void SudokuGrid::add_row(std::string_view line, const std::string& cells, std::size_t number) {
  if (rows_++ == 0) first_line_ = number;
  if (wrong_line_ == 0 && (cells.size() != width_ || strangers(cells, kSudokuPuzzle) > 0)) {
    wrong_line_ = number;
    wrong_ = line;
  }
  cells_ += cells;
}

std::string SudokuGrid::puzzle() const {
  const std::string expected = fmt::format(
      "nine lines of nine cells: digits 1-9, and {} for a blank cell", kSudokuBlankWords);
  if (wrong_line_ > 0)
    throw Error(fmt::format("{} is no row of the grid that begins at line {}", in_quotes(wrong_),
                            first_line_),
                expected);
  if (!complete())
    throw Error(fmt::format("the grid that begins here has {} row{}", rows_, rows_ == 1 ? "" : "s"),
                expected);
  return with_zeros(cells_);
}

std::string sudoku_csv_row(const SudokuRecord& record) {
  if (!record.solution)
    throw Error(fmt::format("the puzzle {} has no solution to write",
                            in_quotes(record.puzzle, kSudokuCells)),
                "a solution for every row of a Sudoku CSV", "solve it first, or write lines");
  return fmt::format("{},{}\n", record.puzzle, *record.solution);
}

}  // namespace mgdm::formats
