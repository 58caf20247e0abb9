// Exact search by rules that the paper's puzzles do not have (Rules in tasks/task.h).
#pragma once

#include <optional>
#include <string>

#include "tasks/countdown/problem.h"
#include "tasks/task.h"

namespace mgdm::tasks::countdown {

// Equations that reach the target; those with whole numbers alone and all numbers used come first,
// then those that leave out the fewest numbers. A fraction is written in parentheses:
//
//   3,3,8,8,24    8/3=(8/3),3-(8/3)=(1/3),8/(1/3)=24
std::optional<std::string> solve_by(const Rules& rules, const Problem& problem);

}  // namespace mgdm::tasks::countdown
