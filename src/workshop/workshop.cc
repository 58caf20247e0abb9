#include "workshop/workshop.h"

#include <algorithm>

#include "compat/out_of_memory.h"
#include "workshop/bench_train.h"
#include "workshop/losses.h"
#include "workshop/training_run.h"

namespace mgdm::workshop {
namespace {

void train(const reproduction::TrainingOrder& order) {
  train_by_recipe(spec::read_recipe(order.recipe, order.overrides),
                  {.recipe_name = order.recipe, .out = order.out, .resume = order.resume});
}

// From a few steps on small batches: a step of the recipe's own could take minutes on a CPU.
double seconds_per_step(const spec::Recipe& recipe) {
  constexpr std::int64_t kRows = 16;
  spec::Recipe small = recipe;
  small.training.batch = std::min(recipe.training.batch, kRows);
  const TrainSpeed speed = bench_train(small, {.turns = 1, .steps = 2});
  return speed.ms / 1000 * static_cast<double>(recipe.training.batch) /
         static_cast<double>(small.training.batch);
}

}  // namespace

cli::Program program() {
  return {{train_command(), launch_command(), bench_command()},
          measure_losses,
          compat::is_out_of_memory,
          {train, seconds_per_step, /*losses=*/{}}};
}

}  // namespace mgdm::workshop
