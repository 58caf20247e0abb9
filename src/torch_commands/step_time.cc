#include "torch_commands/step_time.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "compat/device.h"
#include "config/settings.h"
#include "spec/tensors.h"
#include "torch_commands/bench_train.h"

namespace mgdm::torch_commands {
namespace {

// Of a step, by the recipe's own rows; those without a length are taken to be as long as the model
// has positions. What is too much in both cases cancels out.
double flop_of(const spec::Recipe& recipe) {
  const std::int64_t length = recipe.data.length > 0 ? recipe.data.length : recipe.model.positions;
  return training_flop(recipe.model, recipe.training.batch, length);
}

// What decides how long a step takes, as text.
std::string cost_of(const spec::Recipe& recipe) {
  spec::Recipe alike = recipe;
  alike.seed = 0;
  alike.data.count = 0;
  alike.evaluation = {};
  alike.decoding = {};
  const spec::TrainingSettings none;
  alike.training.epochs = none.epochs;
  alike.training.steps = none.steps;
  alike.training.minutes = none.minutes;
  alike.training.evaluate_every = none.evaluate_every;
  return config::Fields(alike).dump();
}

}  // namespace

spec::Recipe small_sister(const spec::Recipe& recipe, bool on_gpu) {
  // Less than a second of matrix products, also for a budget of seconds; on a GPU small steps would
  // say nothing about large ones.
  const double most = on_gpu ? 2e14 : 5e10;
  spec::Recipe small = recipe;
  small.init.clear();
  const auto halve = [](std::int64_t& number, std::int64_t least) {
    number = std::max(least, number / 2);
  };
  constexpr std::int64_t kRows = 16;
  constexpr std::int64_t kParameters = 1'000'000'000;
  // A language model's tables take longer to draw on a CPU than the steps themselves.
  constexpr std::int64_t kWords = 1024;
  if (!on_gpu) small.model.vocabulary = std::min(small.model.vocabulary, kWords);
  while (spec::parameter_count(small.model) > kParameters && small.model.layers > 1)
    halve(small.model.layers, 1);
  while (flop_of(small) > most && small.training.batch > kRows) halve(small.training.batch, kRows);
  while (flop_of(small) > most && small.model.layers > 1) halve(small.model.layers, 1);
  while (flop_of(small) > most && small.training.batch > 1) halve(small.training.batch, 1);
  small.training.accumulate = std::min(recipe.training.accumulate, small.training.batch);
  return small;
}

double seconds_per_step(const spec::Recipe& recipe) {
  const bool on_gpu = compat::device(recipe.training.device).is_cuda();
  const spec::Recipe small = small_sister(recipe, on_gpu);
  // Recipes that differ in the number of examples or epochs step alike.
  static std::mutex mutex;
  static std::map<std::string, double> measured;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = measured.try_emplace(cost_of(small));
  try {
    if (is_new) place->second = bench_train(small, {.turns = 1, .steps = 2}).ms / 1000;
  } catch (...) {
    measured.erase(place);
    throw;
  }
  return place->second * flop_of(recipe) / flop_of(small);
}

}  // namespace mgdm::torch_commands
