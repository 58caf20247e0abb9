// The kind of a file of puzzles or answers, by its content.
#pragma once

#include <string>
#include <string_view>

namespace mgdm::data {

enum class FileKind { kEmpty, kJsonl, kDimacs, kSolverAnswer, kLines };

// The kind by the first line that is not blank; after comments, which formulas and solvers' answers
// may begin with, by the line that follows.
FileKind file_kind(const std::string& path);

// Whether a file of lines is a Sudoku CSV.
bool is_sudoku_csv(const std::string& path);

// Whether a line is neither blank nor a comment.
bool says_something(std::string_view line);

}  // namespace mgdm::data
