#pragma once

#include "base/random.h"
#include "tasks/countdown/problem.h"
#include "tasks/task.h"

namespace mgdm::tasks::countdown {

// Targets 10..100 that belong to a split: nine of them per `count` of numbers are the test's.
const std::vector<Number>& targets(int count, Split split);

// Draws a target, then numbers 1..99 again and again until they reach it, so targets stay uniform.
Example generate(Stream& random, int count, Split split);

}  // namespace mgdm::tasks::countdown
