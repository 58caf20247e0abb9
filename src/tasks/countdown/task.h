#pragma once

#include <memory>

#include "tasks/task.h"

namespace mgdm::tasks::countdown {

// `puzzles` is what it generates.
std::unique_ptr<Task> make_countdown(int count, const Puzzles& puzzles = {});

}  // namespace mgdm::tasks::countdown
