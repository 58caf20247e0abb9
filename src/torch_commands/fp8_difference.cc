#include "torch_commands/fp8_difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/batches.h"
#include "torch_commands/start_model.h"
#include "training/step.h"
#include "training/training_state.h"

namespace mgdm::torch_commands {
namespace {

constexpr std::int64_t kMostRows = 64;  // few enough not to count as the memory of a step

struct FirstStep {
  double loss, gradient_norm;
};

FirstStep first_step(const spec::Recipe& recipe, const data::PreparedData& data,
                     distributed::ProcessGroup& group, c10::Device device) {
  const auto seed = static_cast<std::uint64_t>(recipe.seed);
  const auto model = start_model(recipe, data.vocabulary, data.train.length(), device);
  const auto objective = start_objective(recipe, data.vocabulary, &model->parameters());
  training::TrainingState state(*model, recipe.optimizer, /*ema=*/0);
  const auto rows = static_cast<std::size_t>(recipe.training.batch);
  training::TrainingStep step(state, *objective, group, recipe.training, recipe.optimizer.clip,
                              seed, {0, rows}, data.train.length());
  data::Batches batches(data.train, rows, seed);
  step.run(batches.next(), 1, {});
  return {step.loss(), step.gradient_norm()};
}

// NaN is as different as can be.
double difference(double a, double b) {
  const double found = std::abs(a - b) / std::abs(b);
  return std::isnan(found) ? std::numeric_limits<double>::infinity() : found;
}

}  // namespace

double fp8_difference(const spec::Recipe& recipe, const data::PreparedData& data,
                      distributed::ProcessGroup& group, c10::Device device) {
  spec::Recipe with = recipe;
  with.training.batch = std::min(kMostRows, recipe.training.batch);
  with.training.accumulate = 1;
  with.training.cuda_graph = false;
  with.training.fp8 = true;
  spec::Recipe without = with;
  without.training.fp8 = false;
  const FirstStep a = first_step(with, data, group, device),
                  b = first_step(without, data, group, device);
  return std::max(difference(a.loss, b.loss), difference(a.gradient_norm, b.gradient_norm));
}

}  // namespace mgdm::torch_commands
