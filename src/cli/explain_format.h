// What solve, eval and verify print with --explain-format: what is recognised in a file.
#pragma once

#include <string>

#include "formats/keys.h"
#include "tasks/task.h"

namespace mgdm::cli {

inline constexpr const char* kExplainFormatHelp =
    "only say what is recognised in the file: format, tasks, names, how many puzzles and answers";

// Prints a line for each format, task and pair of names that the file has, then what cannot be
// read. Without a task each puzzle is counted for the task that it fits best.
//
//   puzzles.jsonl
//     1000 puzzles of sudoku: JSON, puzzles in 'quizzes', answers in 'solutions'
void explain_format(const std::string& path, const formats::Keys& keys, const tasks::Task* task);

}  // namespace mgdm::cli
