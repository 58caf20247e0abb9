// The task `text` with a verifier of one's own in place of labels.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tasks/task.h"

namespace mgdm::tasks::text {

inline constexpr const char* kVerifierHelp =
    "text: a command that judges answers: it reads {\"input\", \"answer\", \"label\"} and writes "
    "{\"score\": 0 to 1, \"why\"}, a line each";

// UsageError for another task than text; Error when the command ends at once.
std::unique_ptr<Task> make_verified(std::string_view task, const std::string& command);

}  // namespace mgdm::tasks::text
