// `mgdm eval --losses`: where a model's losses are.
#pragma once

#include "cli/eval_command.h"

namespace mgdm::torch_commands {

void measure_losses(const cli::EvalSettings& settings);

}  // namespace mgdm::torch_commands
