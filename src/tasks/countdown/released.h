#pragma once

#include <memory>

#include "tasks/released.h"

namespace mgdm::tasks::countdown {

// The paper released countdown with 3, 4 and 5 numbers.
bool has_released(int count);

// The generator of Stream of Search (Gandhi et al. 2024) with the count for a seed: training
// examples without end, or the test, which was drawn after 220,000 of them.
std::unique_ptr<Released> make_released(int count, Split split);

}  // namespace mgdm::tasks::countdown
