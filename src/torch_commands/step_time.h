// How long a step of a recipe takes here, found out in seconds.
#pragma once

#include "spec/recipe.h"

namespace mgdm::torch_commands {

// About: a few steps of the recipe's small sister are measured, once for all recipes that step
// alike.
double seconds_per_step(const spec::Recipe& recipe);

// The recipe with fewer layers and a smaller batch, so that a step is quick here and a large
// network fits into memory; as it is where it is small. Networks that start from weights get made
// ones.
spec::Recipe small_sister(const spec::Recipe& recipe, bool on_gpu);

}  // namespace mgdm::torch_commands
