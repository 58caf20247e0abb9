#include "workshop/workshop.h"

#include "compat/out_of_memory.h"
#include "workshop/losses.h"
#include "workshop/step_time.h"
#include "workshop/training_run.h"

namespace mgdm::workshop {
namespace {

void train(const reproduction::TrainingOrder& order) {
  train_by_recipe(spec::read_recipe(order.recipe, order.overrides), {.recipe_name = order.recipe,
                                                                     .out = order.out,
                                                                     .threads = order.threads,
                                                                     .resume = order.resume,
                                                                     .quiet = order.quiet});
}

}  // namespace

cli::Program program() {
  return {{train_command(), launch_command(), bench_command()},
          measure_losses,
          compat::is_out_of_memory,
          {train, seconds_per_step, /*losses=*/{}}};
}

}  // namespace mgdm::workshop
