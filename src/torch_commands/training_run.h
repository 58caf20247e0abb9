// A run: a recipe made ready and trained, in a folder.
#pragma once

#include "spec/run_request.h"

namespace mgdm::torch_commands {

// Prepares data, model, objective and evaluation, refuses what can be refused before the first file
// is written, trains, and prints the last checkpoint. With other processes it trains the share of
// this one. The recipe is that of the request, which must name a folder.
void train(const spec::Recipe& recipe, const spec::RunRequest& request);

}  // namespace mgdm::torch_commands
