// Picks the model that answers a puzzle when --model is not given.
#pragma once

#include <span>
#include <string>

#include "cli/demo_models.h"
#include "formats/dimacs.h"

namespace mgdm::cli {

// The folder of the first model whose task accepts the puzzle; models trained on puzzles of its
// size are preferred. Error when no model accepts it or there is no model; UsageError when models
// of several tasks accept it.
std::string pick_model(std::span<const DemoModel> models, const std::string& puzzle);

// Picks a model for a DIMACS formula by its number of variables.
std::string pick_model(std::span<const DemoModel> models, const formats::Cnf& formula,
                       const std::string& file);

}  // namespace mgdm::cli
