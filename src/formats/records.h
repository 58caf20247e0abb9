// Reads files of puzzles and of answers, by a few rules instead of a list of formats.
//
// A file is a sequence of records. At each place the first of these rules that fits takes one:
//   JSON        a value, of any nesting and over any lines: each object, string, list of numbers or
//               grid in it that may be a puzzle is a record
//   a table     rows below a first line that names a column of puzzles, with tabs, ';' or ','
//   a Sudoku    81 cells in one line, or in several (sudoku_cells.h)
//   a line      whatever it says
// A record is a few named or unnamed texts, in which puzzle_of() finds the puzzle and its answer,
// by name or by shape. Memory is bounded: a record is held at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "formats/keys.h"

namespace mgdm::formats {

struct Field {
  std::string name;                // empty where the file names nothing
  std::string text;                // of a list all items, with commas or line ends between them
  bool is_text = true;             // false for an object, or a list that has one
  std::vector<std::string> items;  // of a list of strings or numbers
};

struct Record {
  enum class Form { kJson, kTable, kLine, kGrid };
  Form form = Form::kLine;
  std::size_t line = 0;  // where it begins, from 1
  std::vector<Field> fields = {};

  const Field* named(std::string_view name) const;
};

struct Rules {
  // What lines are: puzzles, of Sudoku alone or of any task, also of several in a file, or of tasks
  // other than Sudoku; strings that are taken as they are; or answers, of which blank ones count.
  enum class Lines { kAny, kSudoku, kOther, kText, kAnswers };
  Lines lines = Lines::kAny;
  Keys keys = keys_of("");
};

// Calls use(record) for each record. What no rule takes is an Error with file:line; with on_bad it
// goes there, and reading continues.
using UseRecord = std::function<void(const Record& record)>;
void for_each_record(const std::string& path, const Rules& rules, const UseRecord& use,
                     const OnBadLine& on_bad = {}, Reading reading = Reading::kAgain);

// The puzzle of a record, as it is written, and its answer.
struct Puzzle {
  std::string puzzle, answer;
  std::vector<std::string> also = {};  // other answers that are as good, of the task `text`
  std::string puzzle_name = {}, answer_name = {};  // in the file; empty: found by their shape
};
std::optional<Puzzle> puzzle_of(const Record& record, const Rules& rules);

}  // namespace mgdm::formats
