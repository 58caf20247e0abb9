#pragma once

#include "base/random.h"
#include "tasks/planning/problem.h"

namespace mgdm::tasks::planning {

struct Puzzle {
  Problem problem;
  std::vector<Edge> path;
};

// Two chains of `nodes` nodes out of 0..2*nodes-1 that share the node at one position, drawn
// uniformly; the edges of both, shuffled; the start and goal of one of them.
Puzzle generate(Stream& random, int nodes);

// The puzzle with other names for its nodes and another order of its edges.
Puzzle relabelled(Puzzle puzzle, Stream& random);

// The most characters that a copy's problem and path have together: the longest names go to the
// nodes that are named most often.
std::size_t longest_copy(const Puzzle& puzzle);

// The puzzle whatever the order of its edges: what the train/test split goes by. (Not whatever the
// names of its nodes: up to renaming there are only `nodes` puzzles.)
std::string canonical_form(Problem problem);

}  // namespace mgdm::tasks::planning
