#include "torch_commands/bench_train.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "base/error.h"
#include "base/interrupt.h"
#include "compat/device.h"
#include "compat/parallel.h"
#include "config/settings.h"
#include "data/batches.h"
#include "data/prepare_data.h"
#include "distributed/process_group.h"
#include "spec/kinds.h"
#include "spec/tensors.h"
#include "torch_commands/start_model.h"
#include "training/step.h"
#include "training/training_state.h"

namespace mgdm::torch_commands {
namespace {

// The operations of a step, by the recipe's own rows; rows without a length count as long as the
// model has positions. What is too much in both cases cancels out.
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

constexpr std::int64_t kWarmUp = 8;  // libraries start, a CUDA graph is recorded

// A few batches are made once, and stepped through in turn: making rows is not what is measured.
std::vector<data::Batch> some_batches(const data::PreparedData& data, const spec::Recipe& recipe) {
  data::Batches batches(data.train, static_cast<std::size_t>(recipe.training.batch),
                        static_cast<std::uint64_t>(recipe.seed));
  std::vector<data::Batch> some;
  for (int i = 0; i < 4; ++i) some.push_back(batches.next());
  return some;
}

// A token's products with all matrices, and attention. Frozen matrices have no gradient: the
// backward pass goes through them once, not twice.
double llama_flop(const spec::ModelSettings& model, double tokens, double length) {
  double matrices = 0;
  for (const spec::TensorSpec& tensor : spec::tensors_of(model))
    if (tensor.role == spec::Role::kMatrix)
      matrices += static_cast<double>(tensor.shape[0]) * static_cast<double>(tensor.shape[1]);
  const double head = static_cast<double>(model.vocabulary) * static_cast<double>(model.width);
  const double queries = static_cast<double>(model.heads * model.head_size());
  const double attention = static_cast<double>(model.layers) * 2 * 2 * length * queries;
  const double passes = model.lora.rank > 0 ? 2 : 3;
  return tokens * (passes * 2 * (matrices + head) + 3 * attention);
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

double training_flop(const spec::ModelSettings& model, std::int64_t rows, std::int64_t length) {
  if (spec::architecture_kind(model.architecture).family == spec::Family::kLlama)
    return llama_flop(model, static_cast<double>(rows * length), static_cast<double>(length));
  const auto width = static_cast<double>(model.width), n = static_cast<double>(length);
  const bool looped = spec::architecture_kind(model.architecture).loops;
  const auto loops = static_cast<double>(looped ? model.loops : 1);
  const double layer = 2 * 12 * width * width + 2 * 2 * n * width;  // a token's products, attention
  const double head = 2 * static_cast<double>(model.vocabulary) * width;
  return 3 * static_cast<double>(rows) * n * loops *
         (static_cast<double>(model.layers) * layer + head);
}

TrainSpeed bench_train(const spec::Recipe& asked, const TrainBench& bench) {
  spec::Recipe recipe = asked;
  const c10::Device device = compat::device(recipe.training.device);
  const int threads = compat::use_threads(static_cast<int>(recipe.data.threads));
  recipe.data.threads = threads;
  recipe.data.endless = false;
  recipe.data.held_out = 0;
  recipe.data.count = 4 * recipe.training.batch;
  const auto seed = static_cast<std::uint64_t>(recipe.seed);
  const data::PreparedData data =
      data::prepare_data(recipe.task, recipe.data, seed, start_vocabulary(recipe));
  const std::vector<data::Batch> batches = some_batches(data, recipe);
  distributed::ProcessGroup group(device);
  const auto model = start_model(recipe, data.vocabulary, data.train.length(), device);
  const auto objective = start_objective(recipe, data.vocabulary, &model->parameters());
  training::TrainingState state(*model, recipe.optimizer, recipe.training.ema);
  const auto step_of = [&](bool cuda_graph) {
    spec::TrainingSettings settings = recipe.training;
    settings.cuda_graph = settings.cuda_graph && cuda_graph;
    return training::TrainingStep(state, *objective, group, settings, recipe.optimizer.clip, seed,
                                  {0, static_cast<std::size_t>(recipe.training.batch)},
                                  data.train.length());
  };
  training::TrainingStep step = step_of(/*cuda_graph=*/true);
  if (device.is_cuda()) compat::use_one_thread();

  std::uint64_t done = 0;
  const auto run = [&](training::TrainingStep& by, std::int64_t steps) {
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    for (std::int64_t i = 0; i < steps; ++i) {
      stop_if_interrupted();
      data::Batch batch = batches[done % batches.size()];
      batch.step = done++;
      by.run(batch, 1, {});
    }
    compat::synchronize(device);
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
  };
  TrainSpeed speed{.parameters = model->parameters().count(),
                   .length = data.train.length(),
                   .batch = recipe.training.batch,
                   .device = compat::device_name(device)};
  run(step, device.is_cuda() ? kWarmUp : 1);
  for (std::int64_t turn = 0; turn < bench.turns; ++turn)
    speed.turns_ms.push_back(run(step, bench.steps) / static_cast<double>(bench.steps));
  std::vector<double> sorted = speed.turns_ms;
  std::ranges::nth_element(sorted, sorted.begin() + bench.turns / 2);
  speed.ms = sorted[static_cast<std::size_t>(bench.turns / 2)];
  for (const data::Batch& batch : batches)
    speed.flop += training_flop(model->settings(), speed.batch, step.computed_length(batch.rows)) /
                  static_cast<double>(batches.size());
  speed.memory_bytes = compat::peak_memory(device);
  if (device.is_cuda()) speed.rates = measure_rates(device);
  if (bench.profile) {
    speed.kernels = compat::profile_kernels([&] { run(step, 1); });
    // A replayed graph does not say what its kernels are for; a step without a graph does.
    training::TrainingStep plain = step_of(/*cuda_graph=*/false);
    run(plain, 2);
    compat::add_work(speed.kernels, compat::profile_kernels([&] { run(plain, 1); }));
  }
  return speed;
}

}  // namespace mgdm::torch_commands
