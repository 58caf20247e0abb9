// What a file of puzzles or answers holds, by its content.
#pragma once

#include <string>
#include <string_view>

namespace mgdm::data {

enum class FileKind { kEmpty, kJsonl, kDimacs, kSolverAnswer, kLines };

// By its first line that is not blank. Formulas and solvers' answers may both begin with comments:
// they are told apart by what follows.
FileKind file_kind(const std::string& path);

// Of a file of lines.
bool is_sudoku_csv(const std::string& path);

// Of one of these: neither blank nor a comment.
bool says_something(std::string_view line);

}  // namespace mgdm::data
