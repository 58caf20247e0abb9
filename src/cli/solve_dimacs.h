// `mgdm solve` on a DIMACS formula, with the output format of the SAT competitions
// (https://satcompetition.github.io/2024/output.html):
//
//   c verified, 20 passes
//   s SATISFIABLE
//   v 1 -2 3 -4 5 0
//
// and exit code 10. If no try verifies it prints "s UNKNOWN", exit code 0. The code 20
// (unsatisfiable) never occurs: a network cannot prove that there is no solution.
#pragma once

#include <string>

#include "cli/solve_settings.h"

namespace mgdm::cli {

inline constexpr int kSatisfiable = 10, kUnsatisfiable = 20, kUnknown = 0;

// Lets a model answer; returns the exit code. `file` is for messages. Error when the formula does
// not fit the model: it has too many variables or clauses, or a clause too many literals.
int solve_dimacs(const inference::LoadedModel& model, const std::string& file,
                 const std::string& text, const SolveSettings& settings);

// Answers by exact search, for formulas of any size; returns the exit code.
int search_dimacs(const std::string& file, const std::string& text, const SolveSettings& settings);

}  // namespace mgdm::cli
