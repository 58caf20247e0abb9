#include "formats/sudoku_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "formats/sudoku_lines.h"

namespace mgdm::formats {
namespace {

std::optional<std::size_t> place_of(const std::vector<std::string>& fields, auto&& wanted) {
  const auto found = std::ranges::find_if(fields, wanted);
  if (found == fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - fields.begin());
}

// `text` with '0' for blanks; an Error says what `name` holds instead of 81 such characters.
std::string parse_cells(std::string_view text, std::string_view name, std::string_view characters) {
  const std::string expected =
      characters == kSudokuPuzzle
          ? fmt::format("81 characters: digits 1-9, and {} for a blank cell", kSudokuBlankWords)
          : "81 digits 1-9";
  if (text.size() != kSudokuCells)
    throw Error(fmt::format("the {} has {} characters: {}", name, text.size(), in_quotes(text)),
                expected);
  const std::size_t wrong = text.find_first_not_of(characters);
  if (wrong != std::string_view::npos)
    throw Error(fmt::format("the {} has {} at character {}", name, in_quotes(text.substr(wrong, 1)),
                            wrong + 1),
                expected);
  return with_zeros(text);
}

}  // namespace

bool begins_sudoku_csv(std::string_view line) {
  return (line.find(',') != std::string_view::npos || SudokuCsv::separator_of(line) == ';') &&
         !line.starts_with('[') && !begins_sudoku_grid(line) && !is_sudoku_in_columns(line);
}

// Only what shows a puzzle or names one is sure to have semicolons between its columns.
char SudokuCsv::separator_of(std::string_view line) {
  const Fields fields = csv_cells(with_plain_signs(line), ';');
  const bool shows = by_name(fields).puzzle || std::ranges::any_of(fields, [](const auto& field) {
                       return is_sudoku(field);
                     });
  return fields.size() > 1 && shows ? ';' : ',';
}

SudokuCsv::Columns SudokuCsv::by_name(const Fields& header) {
  const auto named = [&](std::vector<std::string> names) {
    return place_of(header,
                    [&](const std::string& name) { return contains(names, lowered(name)); });
  };
  return {header.size(),
          named({"puzzle", "puzzles", "quiz", "quizzes", "question", "questions", "sudoku"}),
          named({"solution", "solutions", "answer", "answers"})};
}

SudokuCsv::Columns SudokuCsv::by_content(const Fields& row) {
  const auto puzzle = [](const std::string& field) { return is_sudoku(field); };
  const auto solved = [](const std::string& field) { return is_sudoku(field, kSudokuSolution); };
  Columns columns{
      row.size(),
      place_of(row, [&](const std::string& field) { return puzzle(field) && !solved(field); }),
      place_of(row, solved)};
  // Nothing but a whole grid is a puzzle, too; beside a puzzle with a slip it is no puzzle.
  if (!columns.puzzle && std::ranges::count_if(row, looks_like_cells) == 1)
    columns.puzzle = std::exchange(columns.solution, std::nullopt);
  return columns;
}

SudokuRecord SudokuCsv::record(const Fields& row) {
  if (row.size() != columns_->count)
    throw Error(fmt::format("the row has {} columns", row.size()),
                fmt::format("{}, as in the first line", columns_->count));
  if (!columns_->puzzle) {
    const Columns columns = by_content(row);
    if (!columns.puzzle)
      throw Error("no column of the row is a puzzle",
                  fmt::format("one of 81 characters: digits 1-9, and {} for a blank cell",
                              kSudokuBlankWords));
    columns_ = columns;
  }
  SudokuRecord record{parse_cells(row[*columns_->puzzle], "puzzle", kSudokuPuzzle), std::nullopt};
  if (columns_->solution && !row[*columns_->solution].empty())
    record.solution = parse_cells(row[*columns_->solution], "solution", kSudokuSolution);
  return record;
}

void SudokuCsv::add(std::string_view line, std::size_t number) {
  if (!columns_) separator_ = separator_of(line);
  const Fields row = csv_cells(with_plain_signs(line), separator_);
  if (!columns_) {
    const bool header = std::ranges::none_of(row, looks_like_cells);
    columns_ = header ? by_name(row) : by_content(row);
    if (header) return;
  }
  outlet_.give(number, [&] { return record(row); });
}

}  // namespace mgdm::formats
