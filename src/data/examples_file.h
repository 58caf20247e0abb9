// Reads examples for a task from a file. Its format is recognised by content, not by name.
//
//   {"input": ..., "output": ...}   JSONL, one example per line ("output" may be missing); or by
//                                   other names (data/keys.h); a Sudoku is a string or a list of
//                                   rows
//   puzzle,solution                 Sudoku CSV (formats/sudoku_csv.h)
//   81 characters, or nine lines    Sudoku puzzles without solutions (formats/sudoku_lines.h)
//   p cnf ...                       one DIMACS formula
//   a folder of .npy files          data/arrays_folder.h
// data/text_file.h has the rules for files of the task `text`.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "data/keys.h"
#include "tasks/task.h"

namespace mgdm::data {

struct LocatedExample {
  tasks::Example example;
  std::size_t line = 0;  // in the file, from 1; 0 when the file is one example (DIMACS)
};

using UseExample = std::function<void(LocatedExample&& example)>;

// Calls use(example) for each example, its input normalised by the task. A malformed line is an
// Error with file:line; with on_bad the error goes there and reading continues. One example is held
// at a time, and those of a pipe come as they are written: the pipe cannot be read again.
void for_each_example(const std::string& path, const tasks::Task& task, const UseExample& use,
                      const OnBadLine& on_bad = {}, const Keys& keys = keys_of(""));
std::vector<LocatedExample> read_examples(const std::string& path, const tasks::Task& task,
                                          const Keys& keys = keys_of(""));

// Whether a file is a DIMACS formula, by its first line; and whether wanted(puzzle) holds for one
// of its first puzzles, not normalised. A pipe is read no further than needed and can be read
// again. Error when there is no puzzle; on_bad receives the errors of malformed lines.
bool is_dimacs(const std::string& path);
bool any_puzzle(const std::string& path, const std::function<bool(const std::string&)>& wanted,
                const OnBadLine& on_bad, const Keys& keys = keys_of(""));

// The kind of a file of puzzles or answers, by its content.

enum class FileKind { kEmpty, kJsonl, kDimacs, kSolverAnswer, kLines };

// The kind by the first line that is not blank; after comments, which formulas and solvers' answers
// may begin with, by the line that follows.
FileKind file_kind(const std::string& path);

// Whether a file of lines is a Sudoku CSV.
bool is_sudoku_csv(const std::string& path);

// Whether a line is neither blank nor a comment.
bool says_something(std::string_view line);

}  // namespace mgdm::data
