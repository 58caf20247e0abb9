// The generated test puzzles on which figures measure the shipped models.
#pragma once

#include <string>
#include <vector>

#include "reproduction/plan.h"

namespace mgdm::reproduction {

struct HeldOut {
  std::string label;  // "sudoku, random minimal"
  TestSet test;
};

// `count` puzzles of each kind that a model was trained for: two kinds of Sudoku, and planning with
// as many nodes as fit its rows.
std::vector<HeldOut> held_out_of(const ShippedModel& model, std::int64_t count);

}  // namespace mgdm::reproduction
