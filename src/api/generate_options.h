// What may be asked of generate().
#pragma once

#include <string_view>

#include "mgdm/mgdm.h"

namespace mgdm::api {

// UsageError when a value is out of range.
void check(const GenerateOptions& options);

// From "seed=7 split=test", with the members' names.
GenerateOptions generate_options(std::string_view text);

}  // namespace mgdm::api
