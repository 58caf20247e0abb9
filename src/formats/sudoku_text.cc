#include "formats/sudoku_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace mgdm::formats {
namespace {

constexpr std::size_t kCells = 81;
constexpr std::string_view kPuzzleCharacters = "0123456789.";
constexpr std::string_view kSolutionCharacters = "123456789";

// `text` with '0' for '.'; an Error says what `name` holds instead of 81 such characters.
std::string parse_cells(std::string_view text, std::string_view name, std::string_view characters) {
  const std::string expected = characters == kPuzzleCharacters
                                   ? "81 characters: digits 1-9, and 0 or '.' for a blank cell"
                                   : "81 digits 1-9";
  if (text.size() != kCells)
    throw Error(fmt::format("the {} has {} characters: {}", name, text.size(), in_quotes(text)),
                expected);
  const std::size_t wrong = text.find_first_not_of(characters);
  if (wrong != std::string_view::npos)
    throw Error(fmt::format("the {} has {} at character {}", name, in_quotes(text.substr(wrong, 1)),
                            wrong + 1),
                expected);
  std::string cells(text);
  std::replace(cells.begin(), cells.end(), '.', '0');
  return cells;
}

SudokuRecord parse_csv_row(std::string_view line) {
  const std::vector<std::string_view> columns = split(line, ',');
  if (columns.size() != 2)
    throw Error(fmt::format("the row has {} columns: {}", columns.size(), in_quotes(line)),
                "two: the puzzle and its solution");
  return {parse_cells(trim(columns[0]), "puzzle", kPuzzleCharacters),
          parse_cells(trim(columns[1]), "solution", kSolutionCharacters)};
}

SudokuRecord parse_line(std::string_view line) {
  constexpr std::string_view kSpace = " \t";
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view column = rest.substr(0, rest.find_first_of(kSpace));
    if (column.size() == kCells &&
        column.find_first_not_of(kPuzzleCharacters) == std::string_view::npos)
      return {parse_cells(column, "puzzle", kPuzzleCharacters), std::nullopt};
    rest = trim(rest.substr(column.size()));
  }
  throw Error(fmt::format("no puzzle in {}", in_quotes(line)),
              "a column of 81 characters: digits 1-9, and 0 or '.' for a blank cell");
}

// The record of the line at hand.
template <class Parse>
void give(const LineReader& reader, const SudokuSink& sink, const OnBadLine& on_bad,
          const Parse& parse) {
  auto record =
      unless_bad(on_bad, [&] { return with_location(reader.path(), reader.line_number(), parse); });
  if (record) sink(*std::move(record), reader.line_number());
}

std::vector<SudokuRecord> collect(const std::string& path, decltype(for_each_sudoku_csv) for_each) {
  std::vector<SudokuRecord> records;
  for_each(path, [&](SudokuRecord&& record, std::size_t) { records.push_back(std::move(record)); },
           Reading::kAgain, {});
  return records;
}

}  // namespace

void for_each_sudoku_csv(const std::string& path, const SudokuSink& sink, Reading reading,
                         const OnBadLine& on_bad) {
  LineReader reader(path, reading);
  std::string_view line;
  const bool any = reader.next(line);
  if (!any || trim(line) != kSudokuCsvHeader)
    throw Error(
        at(reader.path(), 1) + (any ? "the header is " + in_quotes(line) : "the file is empty"),
        fmt::format("the header {}", kSudokuCsvHeader));
  while (reader.next(line)) {
    if (trim(line).empty()) continue;
    give(reader, sink, on_bad, [&] { return parse_csv_row(line); });
  }
}

std::vector<SudokuRecord> read_sudoku_csv(const std::string& path) {
  return collect(path, for_each_sudoku_csv);
}

void for_each_sudoku_line(const std::string& path, const SudokuSink& sink, Reading reading,
                          const OnBadLine& on_bad) {
  LineReader reader(path, reading);
  std::string_view line;
  while (reader.next(line)) {
    line = trim(line);
    if (line.empty() || line.front() == '#') continue;
    give(reader, sink, on_bad, [&] { return parse_line(line); });
  }
}

std::vector<SudokuRecord> read_sudoku_lines(const std::string& path) {
  return collect(path, for_each_sudoku_line);
}

std::string sudoku_csv_row(const SudokuRecord& record) {
  if (!record.solution)
    throw Error(
        fmt::format("the puzzle {} has no solution to write", in_quotes(record.puzzle, kCells)),
        "a solution for every row of a Sudoku CSV", "solve it first, or write lines");
  return fmt::format("{},{}\n", record.puzzle, *record.solution);
}

void write_sudoku_csv(const std::string& path, std::span<const SudokuRecord> records) {
  AtomicFile file(path);
  file.write(fmt::format("{}\n", kSudokuCsvHeader));
  for (const SudokuRecord& record : records) file.write(sudoku_csv_row(record));
  file.commit();
}

void write_sudoku_lines(const std::string& path, std::span<const SudokuRecord> records) {
  AtomicFile file(path);
  for (const SudokuRecord& record : records) file.write(record.puzzle + "\n");
  file.commit();
}

}  // namespace mgdm::formats
