#pragma once

#include <memory>

#include "tasks/task.h"

namespace mgdm::tasks::countdown {

std::unique_ptr<Task> make_countdown(int count);

}  // namespace mgdm::tasks::countdown
