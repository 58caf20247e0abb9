// How the program without LibTorch finds and executes mgdm-train, the program with LibTorch.
#pragma once

namespace mgdm::cli {

// Whether mgdm-train lies beside this program or has been built in this program's checkout.
bool full_program_is_built();

// Whether mgdm-train is built or can be built, because this program lies in a checkout.
bool has_full_program();

// Replaces this process by mgdm-train with the same command line. In a checkout scripts/build.sh
// builds it first. Returns only where there is no mgdm-train; Error when it cannot be built.
void become_full_program(char** argv);

}  // namespace mgdm::cli
