#pragma once

#include <string_view>
#include <vector>

#include "tasks/countdown/problem.h"
#include "tasks/task.h"

namespace mgdm::tasks::countdown {

// Faults of equations.
inline constexpr const char* kPlanningError = "planning error";
inline constexpr const char* kCalculationError = "calculation error";
inline constexpr const char* kNotAvailable = "number not available";

// Strict: every equation true, each available number used once, all used up, the target reached.
bool correct(const Problem& problem, std::string_view answer);

// Categories:
//   malformed answer       equation i is not `x op y = z`
//   calculation error      equation i is false
//   number not available   equation i uses a number that is not there (any more)
//   target missed          the last result is not the target
//   numbers left over      the target is reached too early
//   planning error         the first equation i after which the target is out of reach, whatever
//                          follows, even if equations are computed rightly from here on
std::vector<Fault> explain(const Problem& problem, std::string_view answer);

}  // namespace mgdm::tasks::countdown
