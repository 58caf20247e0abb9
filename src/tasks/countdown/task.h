#pragma once

#include <memory>

#include "tasks/task.h"

namespace mgdm::tasks::countdown {

// Generated puzzles have numbers 1..largest.
std::unique_ptr<Task> make_countdown(int count, int largest);

}  // namespace mgdm::tasks::countdown
