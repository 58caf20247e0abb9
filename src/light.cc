// The program without LibTorch: everything but training and GPUs.
#include "cli/cli.h"

int main(int argc, char** argv) { return mgdm::cli::run(argc, argv); }
