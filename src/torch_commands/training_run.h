// Prepares a recipe and trains it in a run folder.
#pragma once

#include "spec/recipe.h"

namespace mgdm::torch_commands {

// Prepares data, model, objective and evaluation, checks them before the first file is written,
// trains, and prints the last checkpoint. One of several processes trains its share. The recipe is
// that of the request, which must name a folder.
void train(const spec::Recipe& recipe, const spec::RunRequest& request);

}  // namespace mgdm::torch_commands
