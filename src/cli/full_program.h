// mgdm-train, the program with LibTorch, as the program without it finds it.
#pragma once

namespace mgdm::cli {

// Whether mgdm-train lies beside this program or has been built in this program's checkout.
bool full_program_is_built();

// Whether it is built or can be: this program lies in a checkout.
bool has_full_program();

// Executes mgdm-train with the same command line, instead of this process. In a checkout it is
// built first (scripts/build.sh). Returns only where there is none; Error when it cannot be built.
void become_full_program(char** argv);

}  // namespace mgdm::cli
