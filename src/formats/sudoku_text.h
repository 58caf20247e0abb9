// The two text forms in which Sudoku collections are published.
//
// CSV:    a header "quizzes,solutions", then 81 + 81 characters a row.
// Lines:  81 characters a line, perhaps beside other columns ("hash puzzle rating").
//
// '0' or '.' is a blank; records hold '0'. A malformed line is an Error "file:line: ...", or passed
// over where on_bad is told. Whether a grid obeys the rules is not looked at here.
//
//   for_each_sudoku_line("top95.txt", [&](SudokuRecord&& record, std::size_t line) { ... });
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bad_line.h"
#include "base/files.h"

namespace mgdm::formats {

struct SudokuRecord {
  std::string puzzle;                   // 81 digits, 0 for a blank
  std::optional<std::string> solution;  // 81 digits 1-9; lines carry none
  bool operator==(const SudokuRecord&) const = default;
};

// Takes each record and the number of its line, from 1.
using SudokuSink = std::function<void(SudokuRecord&&, std::size_t line)>;

inline constexpr std::string_view kSudokuCsvHeader = "quizzes,solutions";

// Blank lines are skipped. Path "-" is standard input.
void for_each_sudoku_csv(const std::string& path, const SudokuSink& sink,
                         Reading reading = Reading::kAgain, const OnBadLine& on_bad = {});
std::vector<SudokuRecord> read_sudoku_csv(const std::string& path);

// Takes the first column of 81 characters [0-9.]; columns are separated by white space. Blank lines
// and those that start with '#' are skipped.
void for_each_sudoku_line(const std::string& path, const SudokuSink& sink,
                          Reading reading = Reading::kAgain, const OnBadLine& on_bad = {});
std::vector<SudokuRecord> read_sudoku_lines(const std::string& path);

// "puzzle,solution"; every record needs a solution in this form.
std::string sudoku_csv_row(const SudokuRecord& record);

void write_sudoku_csv(const std::string& path, std::span<const SudokuRecord> records);

// The puzzles alone, one a line.
void write_sudoku_lines(const std::string& path, std::span<const SudokuRecord> records);

}  // namespace mgdm::formats
