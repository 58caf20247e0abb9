#include "torch_commands/bench_decode.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.h"
#include "base/interrupt.h"
#include "cli/pick_model.h"
#include "compat/device.h"
#include "data/prepare_data.h"
#include "decoding/slots.h"
#include "engine/load_torch_network.h"
#include "inference/loaded_model.h"
#include "nn/checkpoint.h"
#include "spec/tensors.h"
#include "torch_commands/bench_train.h"
#include "torch_commands/start_model.h"

namespace mgdm::torch_commands {
namespace {

using decoding::Try;
using decoding::TryResult;

constexpr std::size_t kCompared = 16;
constexpr double kLeastSame = 0.9;  // of the tokens
constexpr double kTurnMs = 300;     // a turn takes at least that long

// Weights of which a network's choices are no near ties, though they are random: most of what it
// says depends on tokens and positions, less on what its layers add, and little on rounding. As it
// starts training they would be: its layers say more than its tables do, or nothing at all.
void draw_clearly(const nn::Model& model) {
  constexpr double kTable = 0.5, kBranch = 0.35;
  const at::NoGradGuard no_grad;
  nn::Parameters random(7);
  for (const nn::Parameter& parameter : model.parameters().all()) {
    if (parameter.value.dim() < 2 || parameter.frozen) continue;
    const double depth = static_cast<double>(parameter.value.size(-1));
    const double std = parameter.role == nn::Role::kMatrix ? kBranch / std::sqrt(depth) : kTable;
    at::Tensor value = parameter.value;
    value.copy_(random.add("", value.sizes(), {std}));
  }
}

// Results in the order of the tries.
std::vector<TryResult> answered(const inference::LoadedNetwork& network,
                                const std::vector<Try>& tries) {
  std::vector<decoding::BatchDecoder*> decoders;
  for (const auto& decoder : network.decoders) decoders.push_back(decoder.get());
  decoding::Slots slots(*network.network, decoders);
  for (const Try& one : tries) slots.join(one);
  std::vector<TryResult> all(tries.size());
  while (slots.active() > 0) {
    stop_if_interrupted();
    for (TryResult& result : slots.pass()) {
      if (result.error) std::rethrow_exception(result.error);
      all[result.slot] = std::move(result);
    }
  }
  return all;
}

struct Same {
  std::int64_t answers = 0;
  double tokens = 0;  // the share of those that were decoded
};

// Compares the answers of both networks, with `batch` tries at a time.
Same compare(const inference::LoadedNetwork& network, const inference::LoadedNetwork& plain,
             std::vector<Try> tries, std::size_t batch) {
  std::vector<TryResult> fast;
  for (std::size_t first = 0; first < tries.size(); first += batch) {
    const auto begin = tries.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t count = std::min(batch, tries.size() - first);
    for (TryResult& each : answered(network, {begin, begin + static_cast<std::ptrdiff_t>(count)}))
      fast.push_back(std::move(each));
  }
  for (Try& one : tries)  // the plain decoders answer where somebody watches
    one.observer = [](const decoding::Step&) { return true; };
  const std::vector<TryResult> slow = answered(plain, tries);
  Same same;
  std::int64_t decoded = 0, equal = 0;
  for (std::size_t i = 0; i < fast.size(); ++i) {
    const auto &got = fast[i].tokens, &expected = slow[i].tokens;
    same.answers += got == expected;
    for (std::size_t n = 0; n < expected.size(); ++n) {
      if (tries[i].puzzle.frozen[n] != 0) continue;
      ++decoded;
      equal += n < got.size() && got[n] == expected[n];
    }
  }
  same.tokens = decoded > 0 ? static_cast<double>(equal) / static_cast<double>(decoded) : 1;
  return same;
}

}  // namespace

void write_untrained(const std::filesystem::path& folder, const spec::Recipe& recipe) {
  data::DataSettings settings = recipe.data;
  settings.endless = false;
  settings.held_out = 0;
  settings.count = 64;  // a few rows: only their length counts
  const data::PreparedData data =
      data::prepare_data(recipe.task, settings, static_cast<std::uint64_t>(recipe.seed));
  const int length = data.train.length();
  const auto model = start_model(recipe, data.vocabulary, length, c10::Device(c10::kCPU));
  if (recipe.init.empty()) draw_clearly(*model);
  nn::write_model(folder, *model, data.vocabulary, {.card = card_of(recipe, length), .notes = {}});
}

DecodeSpeed bench_decode(const std::filesystem::path& folder,
                         const inference::ComputeSettings& compute, const DecodeBench& bench) {
  const model_files::CheckpointConfig config = model_files::read_config(folder);
  if (!config.about.card)
    throw Error(fmt::format("{} does not name a task", folder.string()), "a model trained by mgdm");
  const spec::ModelCard card = *config.about.card;
  const inference::LoadedModel model(engine::load_network(folder, config, card, compute),
                                     config.settings, card,
                                     model_files::read_vocabulary(folder, config));
  decoding::DecodingSettings settings = card.decoding;
  if (bench.steps > 0) settings.steps = bench.steps;
  settings.tries = settings.symmetries = 1;  // what one answer takes
  settings = model.resolved(settings);
  std::vector<Try> tries, compared;
  const auto count = static_cast<std::size_t>(bench.batch);
  for (const tasks::Example& puzzle :
       cli::fresh_puzzles(model, /*seed=*/0, std::max(count, kCompared)).examples) {
    const std::size_t number = std::max(tries.size(), compared.size());
    const Try one{
        model.question(model.prepare(puzzle.input), static_cast<std::uint32_t>(number), settings)
            .puzzle};
    if (number < count) tries.push_back(one);
    if (number < kCompared) compared.push_back(one);
  }

  const c10::Device device = compat::device(compute.device);
  DecodeSpeed speed{.parameters = spec::parameter_count(config.settings),
                    .length = card.length,
                    .batch = bench.batch,
                    .steps = settings.steps,
                    .device = model.network().device};
  {
    const auto plain = engine::load_torch_network(folder, config, card, compute);
    const Same same = compare(model.network(), plain, compared, count);
    speed.compared = static_cast<std::int64_t>(compared.size());
    speed.same = same.answers;
    if (same.tokens < kLeastSame)
      throw Error(
          fmt::format("{:.0f} % of the tokens are those of the plain path", 100 * same.tokens),
          "the same answers, or nearly");
  }
  compat::forget_peak_memory(device);  // the plain path's is not what answers take
  const auto run = [&] {
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    const std::vector<TryResult> all = answered(model.network(), tries);
    compat::synchronize(device);
    speed.passes = 0;
    for (const TryResult& each : all)
      speed.passes = std::max(speed.passes, static_cast<double>(each.passes));
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
  };
  run();  // libraries start, a CUDA graph is recorded
  const auto repeats = static_cast<int>(std::clamp(kTurnMs / run(), 1.0, 1000.0));
  for (std::int64_t turn = 0; turn < bench.turns; ++turn) {
    double ms = 0;
    for (int i = 0; i < repeats; ++i) ms += run();
    speed.turns_ms.push_back(ms / repeats);
  }
  std::vector<double> sorted = speed.turns_ms;
  std::ranges::nth_element(sorted, sorted.begin() + bench.turns / 2);
  speed.ms = sorted[static_cast<std::size_t>(bench.turns / 2)];
  speed.flop = training_flop(config.settings, speed.batch, speed.length) / 3;  // forward alone
  speed.memory_bytes = compat::peak_memory(device);
  if (device.is_cuda()) speed.rates = measure_rates(device);
  if (bench.profile) speed.kernels = compat::profile_kernels([&] { run(); });
  return speed;
}

}  // namespace mgdm::torch_commands
