// Converts the options of the interface to settings, and to and from text.
#pragma once

#include <string>
#include <string_view>

#include "inference/loaded_model.h"
#include "mgdm/mgdm.h"
#include "tasks/all_tasks.h"

namespace mgdm::api {

// UsageError when a value is out of range.
void check(const LoadOptions& options);

// Parses "device=cpu threads=2", with the members' names. `models` is a separate argument because
// paths may have spaces.
LoadOptions load_options(std::string_view text, const std::string& models);

// The task's own options. UsageError when a value is not allowed.
tasks::Options checked(const GenerateOptions& options);

// Parses "seed=7 split=test", with the members' names.
GenerateOptions generate_options(std::string_view text);

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
