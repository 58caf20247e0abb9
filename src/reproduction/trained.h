// The models that reproductions use: those we ship, and those that runs/ has.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reproduction/context.h"

namespace mgdm::reproduction {

struct Trained {
  std::string folder;
  std::string note = {};     // how it falls short of its recipe: "step 300 of 5000"
  std::string command = {};  // that trained it; empty for what we ship
};

// Whether it is the name of a recipe rather than of a model we ship.
bool is_recipe(const std::string& model);

// runs/STEM, where `mgdm train` puts a recipe; and where a shortened training goes.
std::filesystem::path run_folder(const Context& context, const std::string& recipe);
std::filesystem::path short_run_folder(const Context& context, const std::string& recipe);

// Seconds that the shortened training of a recipe has taken so far, and whether that is all it was
// to have.
double short_seconds(const Context& context, const std::string& recipe);
bool short_has_ended(const Context& context, const std::string& recipe);

// What a budget made of a recipe; it is kept beside the run.
struct Shortening {
  double share = 0;  // seconds of the budget
  std::vector<std::string> changes = {};
};
void keep_shortening(const std::filesystem::path& run, const Shortening& shortening);
Shortening kept_shortening(const std::filesystem::path& run);  // empty where there is none

// The model by that name as far as it is trained: the whole run, else what is longer of an
// unfinished and a shortened one; one we ship by its name. None where there is nothing yet.
std::optional<Trained> find_trained(const Context& context, const std::string& model);

// Why there is no such model, for the note of a cell.
std::string why_untrained(const Context& context, const std::string& recipe);

// The steps of a run when it has come to its end: what it says itself counts, since rows that are
// cut out of long answers are more than the recipe's examples.
std::int64_t steps_in_all(const std::filesystem::path& run, const spec::Recipe& recipe);

}  // namespace mgdm::reproduction
