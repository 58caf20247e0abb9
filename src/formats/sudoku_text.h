// The text forms in which Sudokus are published and pasted: CSV (sudoku_csv.h), lines and grids
// (sudoku_lines.h), told apart by their first line.
//
// Blanks are written in many ways (kSudokuBlanks); records hold '0'. A malformed line is an Error
// "file:line: ...", or passed over where on_bad is told. Whether a grid obeys the rules is not
// looked at here.
//
//   for_each_sudoku("top95.txt", [&](SudokuRecord&& record, std::size_t line) { ... });
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "formats/sudoku_record.h"

namespace mgdm::formats {

// One record is held at a time. Path "-" is standard input.
void for_each_sudoku(const std::string& path, const SudokuSink& sink,
                     Reading reading = Reading::kAgain, const OnBadLine& on_bad = {});
std::vector<SudokuRecord> read_sudokus(const std::string& path);

// The puzzle in a text of one or more lines, 81 digits; none unless it holds one, and one alone.
std::optional<std::string> find_sudoku(std::string_view text);

inline constexpr std::string_view kSudokuCsvHeader = "quizzes,solutions";

// "puzzle,solution"; every record needs a solution in this form.
std::string sudoku_csv_row(const SudokuRecord& record);

}  // namespace mgdm::formats
