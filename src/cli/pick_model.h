// Which of the models at hand answers a puzzle, when none is named.
#pragma once

#include <span>
#include <string>

#include "cli/demo_models.h"
#include "formats/dimacs.h"

namespace mgdm::cli {

// The folder of the first whose task the puzzle is of, and that learned puzzles of its size, if one
// did. Error when it is a puzzle of none of them; UsageError when there is no model, or more than
// one task would take it.
std::string pick_model(std::span<const DemoModel> models, const std::string& puzzle);

// The same for a formula in DIMACS, by the number of its variables.
std::string pick_model(std::span<const DemoModel> models, const formats::Cnf& formula,
                       const std::string& file);

}  // namespace mgdm::cli
