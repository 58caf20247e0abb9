// The program mgdm-train: every command, with LibTorch.
#include "cli/cli.h"
#include "engine/load_torch_network.h"
#include "torch_commands/torch_commands.h"

int main(int argc, char** argv) {
  mgdm::inference::use_network_loader(mgdm::engine::load_network);
  const auto work = mgdm::torch_commands::torch_work();
  return mgdm::cli::run(argc, argv, work.get());
}
