// The commands that need LibTorch.
#pragma once

#include "cli/cli.h"

namespace mgdm::workshop {

cli::Command train_command();
cli::Command launch_command();
cli::Command bench_command();

// All that this half adds to the program.
cli::Program program();

}  // namespace mgdm::workshop
