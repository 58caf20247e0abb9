// Reads answers to puzzles from a file. Its format is recognised by content, not by name.
//
//   {"predict": ...}           JSONL; or "output", "solution" or "answer", one of them
//   input,solution,...         CSV whose first line names such a column, with commas, semicolons or
//                              tabs; its cells as they are
//   puzzle,solution            Sudoku CSV of another kind (formats/sudoku_csv.h)
//   s SATISFIABLE, v ...       one answer of a SAT solver, comments before and between
//   lines                      a blank one for an empty answer
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tasks/task.h"

namespace mgdm::data {

struct LocatedAnswer {
  std::string answer;
  std::size_t line = 0;    // in the file, from 1; 0 when the file is one answer
  std::string input = {};  // the puzzle, if the file has it
};

// The answers, in the order of the file.
std::vector<LocatedAnswer> read_answers(const std::string& path, const tasks::Task& task);

}  // namespace mgdm::data
