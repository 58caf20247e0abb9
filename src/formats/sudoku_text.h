// Reads the text forms in which Sudokus are published and pasted: CSV (sudoku_csv.h), lines and
// grids (sudoku_lines.h). The first line decides which form it is.
//
// Blanks are written in many ways (kSudokuBlanks); records have '0'. A malformed line is an Error
// "file:line: ...", or is skipped and reported to on_bad. The rules of Sudoku are not checked here.
//
//   for_each_sudoku("top95.txt", [&](SudokuRecord&& record, std::size_t line) { ... });
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"

namespace mgdm::formats {

// One Sudoku as files hold it, and the function that receives it.
struct SudokuRecord {
  std::string puzzle;                   // 81 digits, 0 for a blank
  std::optional<std::string> solution;  // 81 digits 1-9; lines carry none
  bool operator==(const SudokuRecord&) const = default;
};

inline constexpr std::size_t kSudokuCells = 81;
inline constexpr std::string_view kSudokuBlanks = "0._*-?xX";
inline constexpr std::string_view kSudokuBlankWords = "0, '.', '_', '*', '-', '?' or 'x'";
inline constexpr std::string_view kSudokuPuzzle = "0123456789._*-?xX";  // a puzzle's characters
inline constexpr std::string_view kSudokuSolution = "123456789";        // and a solution's

// Whether `text` is 81 of these characters.
inline bool is_sudoku(std::string_view text, std::string_view characters = kSudokuPuzzle) {
  return text.size() == kSudokuCells &&
         text.find_first_not_of(characters) == std::string_view::npos;
}

// Characters that hardly stand for anything but a cell: '-', '?' and 'x' also occur in titles,
// dates and frames.
inline bool is_plain_cell(char c) {
  return std::string_view("0123456789._*").find(c) != std::string_view::npos;
}

// Whether the text has a row of cells or more: it was meant as a puzzle and may have a slip.
inline bool looks_like_cells(std::string_view text) {
  constexpr std::size_t kRow = 9;
  std::size_t cells = 0, most = 0;
  for (const char c : text) most = std::max(most, cells = is_plain_cell(c) ? cells + 1 : 0);
  return most >= kRow || is_sudoku(text);
}

// The cells of a puzzle with '0' for every blank.
inline std::string with_zeros(std::string_view cells) {
  std::string digits(cells);
  for (char& c : digits)
    if (kSudokuBlanks.find(c) != std::string_view::npos) c = '0';
  return digits;
}

// Receives each record and the number of its first line, from 1.
using SudokuSink = std::function<void(SudokuRecord&&, std::size_t line)>;

// The receiver of a file's records. Complaints about lines go to on_bad, or are thrown.
struct SudokuOutlet {
  std::string path;  // for complaints
  SudokuSink sink;
  OnBadLine on_bad = {};

  // Hands over the record that `parse` makes of the text that begins at that line.
  template <class Parse>
  void give(std::size_t line, const Parse& parse) const {
    auto record = unless_bad(on_bad, [&] {
      return with_location(path, line, [&]() -> SudokuRecord { return parse(); });
    });
    if (record) sink(*std::move(record), line);
  }
};

// Reads one record at a time. Path "-" is standard input.
void for_each_sudoku(const std::string& path, const SudokuSink& sink,
                     Reading reading = Reading::kAgain, const OnBadLine& on_bad = {});

// The only puzzle in a text of one or more lines, as 81 digits; none if there are several or none.
std::optional<std::string> find_sudoku(std::string_view text);

inline constexpr std::string_view kSudokuCsvHeader = "quizzes,solutions";

// One row "puzzle,solution". An Error when the record has no solution.
std::string sudoku_csv_row(const SudokuRecord& record);

}  // namespace mgdm::formats
