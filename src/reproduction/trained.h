// The models that reproductions use: shipped ones, and those in runs/.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reproduction/context.h"

namespace mgdm::reproduction {

struct Trained {
  std::string folder;
  std::string note = {};     // how much of its recipe is missing: "step 300 of 5000"
  std::string command = {};  // that trained it; empty for shipped models
};

// Whether the name is that of a recipe rather than of a shipped model.
bool is_recipe(const std::string& model);

// The run folder of a recipe, runs/STEM as for `mgdm train`; and that of a shortened training.
std::filesystem::path run_folder(const Context& context, const std::string& recipe);
std::filesystem::path short_run_folder(const Context& context, const std::string& recipe);

// The seconds that the shortened training of a recipe has taken so far, and whether it is finished.
double short_seconds(const Context& context, const std::string& recipe);
bool short_has_ended(const Context& context, const std::string& recipe);

// The shortening of a recipe by a budget, stored beside the run.
struct Shortening {
  double share = 0;  // seconds of the budget
  std::vector<std::string> changes = {};
};
void keep_shortening(const std::filesystem::path& run, const Shortening& shortening);
Shortening kept_shortening(const std::filesystem::path& run);  // empty where there is none

// The model by that name: a shipped model, or for a recipe the finished run, or else the longer of
// an unfinished and a shortened run. None if there is none yet.
std::optional<Trained> find_trained(const Context& context, const std::string& model);

// The reason why there is no such model, for the note of a cell.
std::string why_untrained(const Context& context, const std::string& recipe);

// The steps of a finished run, as the run itself says: long answers are cut into several rows, so
// the recipe's number of examples does not tell.
std::int64_t steps_in_all(const std::filesystem::path& run, const spec::Recipe& recipe);

// Weights that some recipes start from and that mgdm cannot ship: LLaMA's. The user names their
// folder: mgdm reproduce countdown --weights llama-7b=DIR.

// "llama-7b" of "paper/countdown-4-llama-7b-lora"; empty for a recipe that needs none.
std::string weights_of(const std::string& recipe);

// What the user must name before the recipe can be trained, in words; empty if nothing is missing.
std::string missing_weights(const Context& context, const std::string& recipe);

// Parses "llama-7b=DIR" words. UsageError for another name or a repeated one; Error when the folder
// has no model.
std::map<std::string, std::string> parse_weights(const std::vector<std::string>& words);

}  // namespace mgdm::reproduction
