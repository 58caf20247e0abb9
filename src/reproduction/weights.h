// Weights that some recipes start from and that are not ours to give: LLaMA's. Who has them names
// their folder: mgdm reproduce countdown --weights llama-7b=DIR.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reproduction/context.h"

namespace mgdm::reproduction {

// "llama-7b" of "paper/countdown-4-llama-7b-lora"; empty for a recipe that starts from nothing.
std::string weights_of(const std::string& recipe);

// What a user has to name before a recipe can be trained, in words; empty where nothing is missing.
std::string missing_weights(const Context& context, const std::string& recipe);

// From "llama-7b=DIR" for each. UsageError for another name or the same one twice; Error when there
// is no model in the folder.
std::map<std::string, std::string> parse_weights(const std::vector<std::string>& words);

}  // namespace mgdm::reproduction
