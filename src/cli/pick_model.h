// Which of the models at hand answers a puzzle, when none is named.
#pragma once

#include <string>

namespace mgdm::cli {

// The folder of the one whose task the puzzle is of; of several of that task the largest.
// Error when it is a puzzle of none of them; UsageError when there is no model, or more than one
// task would take it.
std::string pick_model(const std::string& puzzle);

}  // namespace mgdm::cli
