#pragma once

#include <string_view>
#include <vector>

#include "tasks/planning/problem.h"
#include "tasks/task.h"

namespace mgdm::tasks::planning {

// Strict: a walk over edges of the input from start to goal.
bool correct(const Problem& problem, std::string_view answer);

// Categories:
//   malformed answer   not a list of edges
//   illegal edge       edge i is not in the input
//   broken chain       edge i does not begin where edge i-1 ended (edge 1: at the start)
//   wrong branch       edge i leads to where the goal can no longer be reached
//   stops short        the walk is right as far as it goes
std::vector<Fault> explain(const Problem& problem, std::string_view answer);

}  // namespace mgdm::tasks::planning
