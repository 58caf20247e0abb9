#include "cli/cli.h"
#include "engine/torch_engine.h"
#include "torch_commands/torch_commands.h"

int main(int argc, char** argv) {
  mgdm::inference::use_engines(mgdm::engine::load_engine);
  return mgdm::cli::run(argc, argv, mgdm::torch_commands::program());
}
