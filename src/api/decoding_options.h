// Converts between DecodingOptions and decoding settings.
#pragma once

#include <string>
#include <string_view>

#include "inference/loaded_model.h"
#include "mgdm/mgdm.h"

namespace mgdm::api {

// The model's own settings, changed by the options that are set. UsageError when a value is out of
// range or would change nothing.
decoding::DecodingSettings over(const inference::LoadedModel& model,
                                const DecodingOptions& options);

// The model's own settings as options. Options that change nothing with it are not set.
DecodingOptions own_options(const inference::LoadedModel& model);

// Parses and writes options as text with the members' names: "steps=10 noise=0".
DecodingOptions decoding_options(std::string_view text);
std::string as_text(const DecodingOptions& options);

}  // namespace mgdm::api
