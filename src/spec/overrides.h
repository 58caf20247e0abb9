// Overrides on a command line that would change nothing.
#pragma once

#include <string>
#include <vector>

#include "spec/recipe.h"

namespace mgdm::spec {

// UsageError when a key=value that somebody asked for has no effect in the recipe as it now stands:
// a beta that no loss has, a momentum without muon. In files such values are allowed: another
// recipe that extends the file may read them.
void check_effects(const Recipe& recipe, const std::vector<std::string>& overrides);

}  // namespace mgdm::spec
