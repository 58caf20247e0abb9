// The puzzles that figures of the shipped models are made of: generated ones of the test split.
#pragma once

#include <string>
#include <vector>

#include "reproduction/plan.h"

namespace mgdm::reproduction {

struct HeldOut {
  std::string label;  // "sudoku, random minimal"
  TestSet test;
};

// The kinds of puzzles that a model was made for, so many of each: two of Sudoku, and planning with
// as many nodes as have room in its rows.
std::vector<HeldOut> held_out_of(const ShippedModel& model, std::int64_t count);

}  // namespace mgdm::reproduction
