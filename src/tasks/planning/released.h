#pragma once

#include <memory>

#include "tasks/released.h"

namespace mgdm::tasks::planning {

constexpr int kReleasedNodes = 6;  // per chain

// The 1000 examples of the test, or the 1,000,000 of training: one run of a Python program made
// both files.
std::unique_ptr<Released> make_released(Split split);

}  // namespace mgdm::tasks::planning
