// Weights that some recipes start from and that mgdm cannot ship: LLaMA's. The user names their
// folder: mgdm reproduce countdown --weights llama-7b=DIR.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reproduction/context.h"

namespace mgdm::reproduction {

// "llama-7b" of "paper/countdown-4-llama-7b-lora"; empty for a recipe that needs none.
std::string weights_of(const std::string& recipe);

// What the user must name before the recipe can be trained, in words; empty if nothing is missing.
std::string missing_weights(const Context& context, const std::string& recipe);

// Parses "llama-7b=DIR" words. UsageError for another name or a repeated one; Error when the folder
// has no model.
std::map<std::string, std::string> parse_weights(const std::vector<std::string>& words);

}  // namespace mgdm::reproduction
