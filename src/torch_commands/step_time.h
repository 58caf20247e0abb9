// Estimates the time of a recipe's training step on this machine, within seconds.
#pragma once

#include "spec/recipe.h"

namespace mgdm::torch_commands {

// The estimate: a few steps of the recipe's small version are measured, once for all recipes with
// equal steps.
double seconds_per_step(const spec::Recipe& recipe);

// The small version: fewer layers and a smaller batch, so that a step is fast and a large network
// fits into memory. Small recipes are unchanged. Networks that start from given weights get random
// ones.
spec::Recipe small_sister(const spec::Recipe& recipe, bool on_gpu);

}  // namespace mgdm::torch_commands
