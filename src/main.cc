#include "cli/cli.h"
#include "engine/torch_engine.h"
#include "workshop/workshop.h"

int main(int argc, char** argv) {
  mgdm::inference::use_engines(mgdm::engine::load_engine);
  return mgdm::cli::run(argc, argv, mgdm::workshop::program());
}
