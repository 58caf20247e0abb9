// Reads answers to puzzles from a file, or from all files in a folder. What it looks like is found
// out (formats/records.h).
//
//   {"predict": ...}           JSON; or "output", "solution" or "answer", one of them
//   input,solution,...         a table whose first line names such a column
//   puzzle,solution            Sudokus in columns
//   s SATISFIABLE, v ...       one answer of a SAT solver, or what MiniSat writes into its file
//   lines                      a blank one for an empty answer
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "tasks/task.h"

namespace mgdm::data {

struct LocatedAnswer {
  std::string answer;
  std::size_t line = 0;    // in the file, from 1; 0 when the file is one answer
  std::string input = {};  // the puzzle, if the file has it
};

// The answers, in the order of the file. What cannot be read is an Error with file:line; with
// on_bad the error goes there, and it counts as an empty answer.
std::vector<LocatedAnswer> read_answers(const std::string& path, const tasks::Task& task,
                                        const OnBadLine& on_bad = {});

}  // namespace mgdm::data
