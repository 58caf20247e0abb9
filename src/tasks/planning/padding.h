// Brings small graphs to the size that models learn.
#pragma once

#include <optional>

#include "tasks/planning/problem.h"

namespace mgdm::tasks::planning {

// The puzzle with new nodes before its start, and as many before the first node of the other chain,
// until there are `edges` edges. Its nodes are 0 to `names` - 1; others get new names.
struct LargerProblem {
  Problem problem;
  std::vector<int> old_names;  // by node of `problem`; -1 for a new node

  // The part of a path in `problem` that is a path in the smaller one, under its names.
  std::vector<Edge> own_path(const std::vector<Edge>& path) const;
};

// None when the puzzle has too many edges or nodes.
std::optional<LargerProblem> padded(const Problem& problem, std::size_t edges, int names);

}  // namespace mgdm::tasks::planning
