// The program: parses the command line, runs one command, turns exceptions into exit codes.
#pragma once

namespace mgdm::cli {

class TorchWork;

// The exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted; solve on DIMACS: 10 satisfiable.
// Without `work`, mgdm-train runs the commands that need LibTorch (cli/full_program.h).
int run(int argc, char** argv, TorchWork* work = nullptr);

}  // namespace mgdm::cli
