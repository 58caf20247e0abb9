#pragma once

#include <memory>
#include <optional>

#include "tasks/task.h"

namespace mgdm::tasks::planning {

// Without a number of nodes those that it generates have the paper's 6, and no size is unfamiliar.
// UsageError unless kMinNodes <= nodes <= kMaxNodes.
std::unique_ptr<Task> make_planning(std::optional<int> nodes);

}  // namespace mgdm::tasks::planning
