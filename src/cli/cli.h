// The program: parses the command line, runs one command, turns exceptions into exit codes.
#pragma once

#include <exception>
#include <functional>

#include "cli/command.h"
#include "cli/heavy_commands.h"
#include "reproduction/context.h"

namespace mgdm::cli {

// What the half with LibTorch adds to the program, where there is one.
struct Program {
  HeavyWork heavy;
  MeasureLosses measure_losses;
  std::function<bool(const std::exception&)> is_out_of_memory;
  reproduction::Trainer trainer;  // of mgdm reproduce
};

// 0 done, 1 failed, 2 wrong usage, 130 interrupted; solve on DIMACS: 10 satisfiable.
int run(int argc, char** argv, Program program = {});

}  // namespace mgdm::cli
