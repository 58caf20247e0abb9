// Options of decoding and the settings they stand for.
#pragma once

#include <string>
#include <string_view>

#include "inference/loaded_model.h"
#include "mgdm/mgdm.h"

namespace mgdm::api {

// What the model does by itself, changed by what is set. UsageError when a value is out of range or
// would change nothing.
decoding::DecodingSettings over(const inference::LoadedModel& model,
                                const DecodingOptions& options);

// What the model does by itself. Members that do not count with it are not set.
DecodingOptions own_options(const inference::LoadedModel& model);

// From "steps=10 noise=0", with the members' names, and back.
DecodingOptions decoding_options(std::string_view text);
std::string as_text(const DecodingOptions& options);

}  // namespace mgdm::api
