// Measures a model's losses by noise level and position (evaluation/loss_table.h).
#pragma once

#include "evaluation/loss_table.h"

namespace mgdm::torch_commands {

evaluation::LossProfile measure_losses(const evaluation::LossRequest& request);

}  // namespace mgdm::torch_commands
