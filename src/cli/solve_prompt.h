// `solve` on a terminal: a prompt for puzzles.
#pragma once

#include <functional>

#include "cli/solve_settings.h"

namespace mgdm::cli {

// Reads puzzles and commands until the end of the input; returns the exit code. `solve` answers
// settings.puzzles, and its errors are printed.
int solve_at_prompt(SolveSettings settings,
                    const std::function<void(const SolveSettings& settings)>& solve);

}  // namespace mgdm::cli
