// Sudokus as rows of a CSV file, handed over line by line.
//
//   quizzes,solutions                 or: puzzle,solution; source,question,answer,rating; ...
//   0043002090050090010700600...,8643712592...
//
// Or with ';' between the columns, as spreadsheets of some countries write them: the first line
// shows it. A first line without anything like a puzzle is a header. What it names puzzle, quiz,
// question or sudoku, and solution or answer, are the columns of these; where it names no puzzle,
// or there is none, the first row shows them: the column of 81 cells with blanks, and that of 81
// without. All rows have as many columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/sudoku_text.h"

namespace mgdm::formats {

// Whether a file that begins with this line, blank ones and comments aside, is such a CSV.
bool begins_sudoku_csv(std::string_view line);

class SudokuCsv {
 public:
  explicit SudokuCsv(SudokuOutlet outlet) : outlet_(std::move(outlet)) {}

  void add(std::string_view line, std::size_t number);  // none that is blank

  static char separator_of(std::string_view first_line);

 private:
  struct Columns {
    std::size_t count = 0;
    std::optional<std::size_t> puzzle, solution;
  };
  using Fields = std::vector<std::string>;

  static Columns by_name(const Fields& header);
  static Columns by_content(const Fields& row);
  SudokuRecord record(const Fields& row);

  const SudokuOutlet outlet_;
  char separator_ = ',';
  std::optional<Columns> columns_;  // once a line has been seen; its puzzle once it is known
};

}  // namespace mgdm::formats
