// Reads the text forms in which Sudokus are published and pasted: CSV (sudoku_csv.h), lines and
// grids (sudoku_lines.h). The first line decides which form it is.
//
// Blanks are written in many ways (kSudokuBlanks); records have '0'. A malformed line is an Error
// "file:line: ...", or is skipped and reported to on_bad. The rules of Sudoku are not checked here.
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

// Reads one record at a time. Path "-" is standard input.
void for_each_sudoku(const std::string& path, const SudokuSink& sink,
                     Reading reading = Reading::kAgain, const OnBadLine& on_bad = {});
std::vector<SudokuRecord> read_sudokus(const std::string& path);

// The only puzzle in a text of one or more lines, as 81 digits; none if there are several or none.
std::optional<std::string> find_sudoku(std::string_view text);

inline constexpr std::string_view kSudokuCsvHeader = "quizzes,solutions";

// One row "puzzle,solution". An Error when the record has no solution.
std::string sudoku_csv_row(const SudokuRecord& record);

}  // namespace mgdm::formats
