// The program: parses the command line, runs one command, turns exceptions into exit codes.
#pragma once

namespace mgdm::cli {

// 0 done, 1 failed, 2 wrong usage, 130 interrupted; solve on DIMACS: 10 satisfiable.
int run(int argc, char** argv);

}  // namespace mgdm::cli
