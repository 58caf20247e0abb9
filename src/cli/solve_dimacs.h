// `mgdm solve` on a DIMACS formula speaks as solvers do in the SAT competitions
// (https://satcompetition.github.io/2024/output.html):
//
//   c verified, 20 passes
//   s SATISFIABLE
//   v 1 -2 3 -4 5 0
//
// and exits with 10. Where no try verifies it prints "s UNKNOWN" and exits with 0: a network never
// proves that there is no solution, so 20 is never given.
#pragma once

#include <string>

#include "cli/solve_settings.h"

namespace mgdm::cli {

inline constexpr int kSatisfiable = 10, kUnknown = 0;

// The exit code. `file` is for messages. Error when the formula is none of the model's task: other
// clauses than of three literals, another number of variables, more clauses than its rows hold.
int solve_dimacs(const inference::LoadedModel& model, const std::string& file,
                 const std::string& text, const SolveSettings& settings);

}  // namespace mgdm::cli
