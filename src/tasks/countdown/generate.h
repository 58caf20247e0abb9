#pragma once

#include <optional>
#include <string>

#include "base/random.h"
#include "tasks/countdown/problem.h"
#include "tasks/task.h"

namespace mgdm::tasks::countdown {

// Targets 10..100 that belong to a split: nine of them per `count` of numbers are the test's.
const std::vector<Number>& targets(int count, Split split);

// Which solution of a puzzle is its label: the first of a fixed search, as in the paper; any one,
// drawn; or the one with the smallest numbers on the way.
enum class Labels { kFirst, kAny, kSmallest };

constexpr int kLargestNumber = 99;  // in the paper

// The kind of puzzles that is drawn.
struct Puzzles {
  int largest = kLargestNumber;
  Labels labels = Labels::kFirst;
  bool operator==(const Puzzles&) const = default;
};

// Draws a target, then numbers 1..largest again and again until they reach it, so targets stay
// uniform; then the label, where it is to be any. Game of 24 is held out: where four numbers up to
// 13 are to make 24, another target is drawn.
Example generate(Stream& random, int count, Split split, const Puzzles& puzzles);

// What of a puzzle is never drawn: "500 and the target 900 are beyond ...". None when all may be.
std::optional<std::string> never_drawn(const Problem& problem, const Puzzles& puzzles);

}  // namespace mgdm::tasks::countdown
