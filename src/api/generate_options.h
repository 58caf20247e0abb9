// The options of generate().
#pragma once

#include <string_view>

#include "mgdm/mgdm.h"
#include "tasks/all_tasks.h"

namespace mgdm::api {

// The task's own options. UsageError when a value is not allowed.
tasks::Options checked(const GenerateOptions& options);

// Parses "seed=7 split=test", with the members' names.
GenerateOptions generate_options(std::string_view text);

}  // namespace mgdm::api
