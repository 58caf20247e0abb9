// Checks of key=value overrides: those without effect, those that were forgotten, and those of an
// earlier run.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"
#include "spec/recipe.h"

namespace mgdm::spec {

// UsageError when a key=value on the command line has no effect in the final recipe: a beta that no
// loss has, a momentum without muon. Files may have such values, because a recipe that extends the
// file may read them.
void check_effects(const Recipe& recipe, const std::vector<std::string>& overrides);

// The settings of a run (`there`) that differ from its recipe (`here`). The row length that a run
// found from its data does not count.
std::vector<config::Fields::Difference> changes(Recipe recipe, Recipe run);

// The changes that decide what is learned: not how often a run is saved, logged and evaluated.
std::vector<config::Fields::Difference> changes_of_training(const Recipe& recipe,
                                                            const Recipe& run);

// UsageError when resuming the run in `folder` would change settings from `before` to `now` that
// the command does not name: most likely an override of the first command was forgotten. How often
// the run is saved, logged and evaluated may change.
void check_named(const Recipe& before, const Recipe& now, const std::vector<std::string>& overrides,
                 const std::string& folder);

}  // namespace mgdm::spec
