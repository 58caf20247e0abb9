// Reads examples for a task from a file, whatever its format: recognised by content, not by name.
//
//   {"input": ..., "output": ...}   JSONL, one example per line ("output" may be missing)
//   quizzes,solutions               Sudoku CSV
//   81 characters per line          Sudoku puzzles without solutions
//   p cnf ...                       one DIMACS formula
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tasks/task.h"

namespace mgdm::data {

struct LocatedExample {
  tasks::Example example;
  std::size_t line = 0;  // in the file, from 1; 0 when the file holds this one alone (DIMACS)
};

// Every input is checked and normalised by the task; an Error names file:line.
std::vector<LocatedExample> read_examples(const std::string& path, const tasks::Task& task);

struct LocatedAnswer {
  std::string answer;
  std::size_t line = 0;  // as above
};

// Predictions, in the order of the data: JSONL with the answer in "output" or "predict", or one
// SAT competition answer (s and v lines, comments before and between them).
std::vector<LocatedAnswer> read_answers(const std::string& path);

}  // namespace mgdm::data
