// A Sudoku is 81 cells: nine digits and one sign for a blank (kSudokuBlanks), whatever separates
// them and over however many lines they stand.
//
//   53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
//   c0ffee 53..7....6..195... 2.5    one column of several
//   5 3 . | . 7 . | . . .            nine lines of nine cells, or three of 27
//   5,3,,,7,,,,                      nothing between separators is a blank
//   53  7                            a space is one, where two stand side by side
//   ------+-------+------            frames are passed over, and Unicode's frames
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::formats {

struct SudokuRecord {
  std::string puzzle;                   // 81 digits, 0 for a blank
  std::optional<std::string> solution;  // 81 digits 1-9
  bool operator==(const SudokuRecord&) const = default;
};

inline constexpr std::size_t kSudokuCells = 81;
inline constexpr std::string_view kSudokuBlanks = "0._*-?xX";
inline constexpr std::string_view kSudokuBlankWords = "0, '.', '_', '*', '-', '?' or 'x'";
inline constexpr std::string_view kSudokuPuzzle = "0123456789._*-?xX";  // a puzzle's characters
inline constexpr std::string_view kSudokuSolution = "123456789";        // and a solution's

// Whether `text` is 81 of these characters.
bool is_sudoku(std::string_view text, std::string_view characters = kSudokuPuzzle);

// Whether the text has a row of cells or more: it was meant as a puzzle and may have a slip.
bool looks_like_cells(std::string_view text);

// Whether the line is 9, 27 or 81 cells and nothing else.
bool is_sudoku_row(std::string_view line);

// The puzzle in one line, and the solution beside it: columns of 81 cells, or all of the line.
std::optional<SudokuRecord> sudoku_in_line(std::string_view line);

// The only puzzle in a text of one or more lines, as 81 digits; none if there are several or none.
std::optional<std::string> find_sudoku(std::string_view text);

// Puts a grid together from its lines.
class SudokuGrid {
 public:
  enum class Took { kNothing, kFrame, kRow };  // a frame, a bracket or a blank line

  // Looks at the next line. A row may have a slip where a grid has begun, or most of it is cells.
  Took add(std::string_view line, std::size_t number);

  bool begun() const { return rows_ > 0; }
  bool complete() const { return rows_ * width_ == kSudokuCells; }
  // Lines of numbers may look like this grid, of which more rows were expected.
  bool may_be_numbers() const { return rows_ == 1 || spaced_; }
  std::size_t first_line() const { return first_line_; }
  std::size_t line() const { return wrong_line_ > 0 ? wrong_line_ : first_line_; }  // for an Error

  // The puzzle as 81 digits. An Error says which row is wrong, or how many there are.
  std::string puzzle() const;

 private:
  bool add_spaced(std::string_view line, std::size_t number);
  void add_row(std::string_view line, const std::string& cells, std::size_t number);
  bool is_blank_row(std::string_view cells) const;

  std::size_t rows_ = 0, width_ = 9, first_line_ = 0, wrong_line_ = 0;
  bool spaced_ = false;  // spaces are its blanks
  std::string cells_, wrong_;
};

inline constexpr std::string_view kSudokuCsvHeader = "quizzes,solutions";

// One row "puzzle,solution". An Error when the record has no solution.
std::string sudoku_csv_row(const SudokuRecord& record);

}  // namespace mgdm::formats
