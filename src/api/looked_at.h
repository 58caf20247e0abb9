// What mgdm::check and Model::check find out about a puzzle.
#pragma once

#include <string>

#include "mgdm/mgdm.h"
#include "tasks/task.h"

namespace mgdm::api {

// Error when the text is not a puzzle of the task.
PuzzleCheck looked_at(const tasks::Task& task, const std::string& puzzle);

}  // namespace mgdm::api
