#include <fmt/format.h>

#include "cli/heavy_commands.h"
#include "workshop/launcher.h"
#include "workshop/workshop.h"

namespace mgdm::workshop {
namespace {

struct LaunchSettings {
  std::int64_t n = 1;
  std::vector<std::string> command;
  bool quiet = false;

  void visit(config::Visitor& v) {
    v.field("n", n, "how many processes; on GPUs one for each", config::range(1, 1024));
    v.field("command", command, "-- and then what each of them does: train ...");
    v.field("quiet", quiet, "print nothing but errors");
  }
};

void run_launch(const LaunchSettings& settings) {
  launch(static_cast<int>(settings.n), settings.command, settings.quiet);
}

}  // namespace

cli::Command launch_command() {
  return cli::make_command<LaunchSettings>(
      "launch", cli::about_heavy("launch"),
      "  mgdm launch -n 2 -- train recipes/paper/planning-tiny-mgdm.toml --out runs/two\n"
      "  mgdm launch -n 2 -- train recipes/paper/planning-tiny-mgdm.toml --out runs/two --resume\n"
      "Several machines: torchrun --no-python ... mgdm train ..., or set RANK, WORLD_SIZE,\n"
      "LOCAL_RANK, MASTER_ADDR and MASTER_PORT as it does.\n",
      {"command"}, {"n", "command"}, run_launch);
}

}  // namespace mgdm::workshop
