// The program mgdm: every command. Those that need LibTorch are done by mgdm-train.
#include "cli/cli.h"

int main(int argc, char** argv) { return mgdm::cli::run(argc, argv); }
