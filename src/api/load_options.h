// The options of loading a model.
#pragma once

#include <string>
#include <string_view>

#include "mgdm/mgdm.h"

namespace mgdm::api {

// UsageError when a value is out of range.
void check(const LoadOptions& options);

// Parses "device=cpu threads=2", with the members' names. `models` is a separate argument because
// paths may have spaces.
LoadOptions load_options(std::string_view text, const std::string& models);

}  // namespace mgdm::api
