#pragma once

#include <memory>

#include "tasks/task.h"

namespace mgdm::tasks::planning {

// UsageError unless kMinNodes <= nodes <= kMaxNodes.
std::unique_ptr<Task> make_planning(int nodes);

}  // namespace mgdm::tasks::planning
