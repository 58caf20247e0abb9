// Sudokus in lines of text, handed over one by one: a puzzle a line, or a grid of nine lines.
//
//   c0ffee 53..7....6..195... 2.5    the first column of 81 cells; separated by space or commas
//
//   Grid 01                          a title before a grid (or before all else) is passed over
//   5 3 . | . 7 . | . . .            nine cells, separated by nothing, space, '|' or commas
//   5,3,,,7,,,,                      or by eight commas or semicolons: nothing in between is a
//                                    blank
//   53  7                            or side by side, spaces for blanks, which two side by side
//                                    show; those at the end may be missing
//   ------+-------+------            frames, blank lines and those with '#' are passed over
//
// A line of 81 cells may have space or '|' between them, too. Frames may be drawn by Unicode's
// lines.
//
// Nothing is kept but the grid at hand.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/sudoku_text.h"

namespace mgdm::formats {

class SudokuLines {
 public:
  explicit SudokuLines(SudokuOutlet outlet) : outlet_(std::move(outlet)) {}

  void add(std::string_view line, std::size_t number);
  void finish();  // after the last line: complains about what is not complete

 private:
  struct Line {
    std::string text;
    std::size_t number = 0;
  };
  struct Grid {
    std::size_t number = 0;  // of its first line
    int rows = 0;
    bool spaced = false;  // spaces are its blanks
    std::string cells{};
    std::optional<Line> wrong{};  // the first row that is none
  };

  bool is_blank_row(std::string_view line) const;
  bool add_spaced(std::string_view line, std::size_t number);
  void add_row(std::string_view line, const std::string& cells, std::size_t number);
  void end_grid();
  void complain_of_title();

  const SudokuOutlet outlet_;
  bool any_ = false;           // whether a line has been looked at
  std::optional<Line> title_;  // perhaps: what follows decides
  bool title_is_first_ = false;
  std::optional<Grid> grid_;
};

// With ASCII's for the frames and blanks that Unicode has.
std::string with_plain_signs(std::string_view line);

// Whether the line is the nine cells of a row, or the 81 of a puzzle, with tabs between them.
bool is_sudoku_table_row(std::string_view line);

// Whether the line is a puzzle of 81 cells with commas, semicolons or tabs between them.
bool is_sudoku_in_columns(std::string_view line);

// Whether it is a row whose blanks are spaces, two of them side by side. Numbers that are aligned
// look like that, too.
bool begins_spaced_sudoku_grid(std::string_view line);

// Whether it may be a further line of a grid, perhaps with a slip. Much else looks like that, too.
bool may_be_sudoku_row(std::string_view line);

// Whether it is a row of nine cells, perhaps with a slip: then the grid is at fault, not its other
// eight lines.
bool begins_sudoku_grid(std::string_view line);

// The puzzle of a line by the rule above: 81 digits, 0 for a blank.
std::optional<std::string> sudoku_column(std::string_view line);

}  // namespace mgdm::formats
