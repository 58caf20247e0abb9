#include "cli/cli.h"
#include "engine/load_torch_network.h"
#include "torch_commands/torch_commands.h"

int main(int argc, char** argv) {
  mgdm::inference::use_network_loader(mgdm::engine::load_network);
  return mgdm::cli::run(argc, argv, mgdm::torch_commands::program());
}
