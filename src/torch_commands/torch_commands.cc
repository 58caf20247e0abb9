#include "torch_commands/torch_commands.h"

#include "compat/out_of_memory.h"
#include "torch_commands/launcher.h"
#include "torch_commands/losses.h"
#include "torch_commands/step_time.h"
#include "torch_commands/training_run.h"

namespace mgdm::torch_commands {
namespace {

void train_for_table(const reproduction::TrainingOrder& order) {
  train_by_recipe(spec::read_recipe(order.recipe, order.overrides), {.recipe_name = order.recipe,
                                                                     .out = order.out,
                                                                     .threads = order.threads,
                                                                     .resume = order.resume,
                                                                     .quiet = order.quiet,
                                                                     .on_begin = order.on_begin});
}

void launch_processes(const cli::LaunchSettings& settings) {
  launch(static_cast<int>(settings.n), settings.command, settings.quiet);
}

}  // namespace

cli::Program program() {
  return {{train, launch_processes, bench_signature, bench_training, bench_decoding},
          measure_losses,
          compat::is_out_of_memory,
          {train_for_table, seconds_per_step, /*losses=*/{}}};
}

}  // namespace mgdm::torch_commands
