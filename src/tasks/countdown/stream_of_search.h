// The searches of Stream of Search (Gandhi et al. 2024), with all their detours: the generator of
// the paper's countdown data makes one for every puzzle, and the baseline learns its text.
//
//   Current State: 28:[32, 4], Operations: ['67-53=14', '14-10=4']
//   Exploring Operation: 32-4=28, Resulting Numbers: [28]
//   28,28 equal: Goal Reached
#pragma once

#include <string>

#include "base/python_random.h"
#include "tasks/countdown/problem.h"

namespace mgdm::tasks::countdown {

// How far numbers are from the target. Sum: the mean of |n - target|. Mult: the sum of the
// distances to the nearest factor of the target, 1 not being one.
enum class Heuristic { kSum, kMult };

struct SearchKind {
  Heuristic heuristic = Heuristic::kSum;
  int beam = 0;  // breadth first by so many nodes at a time; 0: depth first
};

// Breadth first: of the open nodes the `beam` best are taken from a heap, and of the successors of
// each the `beam` best are kept and shuffled: that is all a search draws.
// Depth first: the successors that are no farther than the target itself, the nearest first.

struct Trace {
  std::string text;
  bool reached = false;  // the target
  int explored = 0;      // operations
};

Trace trace_search(const Problem& problem, const SearchKind& kind, PythonRandom& random);

// Draws what the search would draw, and writes nothing.
void draw_search(const Problem& problem, const SearchKind& kind, PythonRandom& random);

}  // namespace mgdm::tasks::countdown
