// Overrides on a command line: those that would change nothing, those that were forgotten, and
// those that a run had.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"
#include "spec/recipe.h"

namespace mgdm::spec {

// UsageError when a key=value that somebody asked for has no effect in the recipe as it now stands:
// a beta that no loss has, a momentum without muon. In files such values are allowed: another
// recipe that extends the file may read them.
void check_effects(const Recipe& recipe, const std::vector<std::string>& overrides);

// The settings of a run (`there`) that are not those of its recipe (`here`). The length that a run
// found from its data is none of them.
std::vector<config::Fields::Difference> changes(Recipe recipe, Recipe run);

// Of these, what decides what is learned: not how often the run is saved, logged and evaluated.
std::vector<config::Fields::Difference> changes_of_training(const Recipe& recipe,
                                                            const Recipe& run);

// UsageError when a run that stands in `folder`, trained by `before`, would go on by other values
// in `now` that nobody asked for: most likely an override of its first command was forgotten. How
// often it is saved, logged and evaluated may change without a word.
void check_named(const Recipe& before, const Recipe& now, const std::vector<std::string>& overrides,
                 const std::string& folder);

}  // namespace mgdm::spec
