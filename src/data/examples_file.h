// Reads examples for a task from a file, whatever its format: recognised by content, not by name.
//
//   {"input": ..., "output": ...}   JSONL, one example per line ("output" may be missing); also
//                                   "puzzle" and "solution", "question" and "answer"; a Sudoku
//                                   is a string or a list of rows
//   puzzle,solution                 Sudoku CSV (formats/sudoku_csv.h)
//   81 characters, or nine lines    Sudoku puzzles without solutions (formats/sudoku_lines.h)
//   p cnf ...                       one DIMACS formula
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/bad_line.h"
#include "tasks/task.h"

namespace mgdm::data {

struct LocatedExample {
  tasks::Example example;
  std::size_t line = 0;  // in the file, from 1; 0 when the file holds this one alone (DIMACS)
};

// Every input is checked and normalised by the task; an Error names file:line, or on_bad is told
// and the next line is read. One example is held at a time, and a pipe's come as they are written:
// it cannot be read again.
void for_each_example(const std::string& path, const tasks::Task& task,
                      const std::function<void(LocatedExample&& example)>& use,
                      const OnBadLine& on_bad = {});
std::vector<LocatedExample> read_examples(const std::string& path, const tasks::Task& task);

// Whether it is a formula in DIMACS, by its first line; and whether one of the first puzzles in a
// file, as they stand there, is wanted. For these a pipe is not read further than needed, and can
// be read again. Error when there is no puzzle; on_bad is told of lines that hold none.
bool is_dimacs(const std::string& path);
bool any_puzzle(const std::string& path, const std::function<bool(const std::string&)>& wanted,
                const OnBadLine& on_bad);

}  // namespace mgdm::data
