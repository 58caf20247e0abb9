#include "torch_commands/bench_decode.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/interrupt.h"
#include "cli/fresh_puzzles.h"
#include "compat/device.h"
#include "data/prepare_data.h"
#include "engine/torch_engine.h"
#include "inference/reasoner.h"
#include "nn/checkpoint.h"
#include "spec/tensors.h"
#include "torch_commands/bench_train.h"
#include "torch_commands/start_model.h"

namespace mgdm::torch_commands {
namespace {

using decoding::Finished;
using decoding::Request;

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

// Finished in the order of the requests.
std::vector<Finished> answered(inference::Engine& engine, const std::vector<Request>& requests) {
  std::map<decoding::SlotId, std::size_t> places;
  for (const Request& request : requests) places.emplace(engine.join(request), places.size());
  std::vector<Finished> all(requests.size());
  while (engine.active() > 0) {
    stop_if_interrupted();
    for (Finished& finished : engine.pass()) {
      if (finished.error) std::rethrow_exception(finished.error);
      all[places.at(finished.slot)] = std::move(finished);
    }
  }
  return all;
}

struct Same {
  std::int64_t answers = 0;
  double tokens = 0;  // the share of those that were decoded
};

// Compares what both say to the requests, asked `batch` at a time.
Same compare(inference::Engine& engine, inference::Engine& plain, std::vector<Request> requests,
             std::size_t batch) {
  std::vector<Finished> fast;
  for (std::size_t first = 0; first < requests.size(); first += batch) {
    const auto begin = requests.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t count = std::min(batch, requests.size() - first);
    for (Finished& each : answered(engine, {begin, begin + static_cast<std::ptrdiff_t>(count)}))
      fast.push_back(std::move(each));
  }
  for (Request& request : requests)  // who is watched goes pass by pass
    request.observer = [](const decoding::Step&) { return true; };
  const std::vector<Finished> slow = answered(plain, requests);
  Same same;
  std::int64_t decoded = 0, equal = 0;
  for (std::size_t i = 0; i < fast.size(); ++i) {
    const auto &got = fast[i].first.tokens, &expected = slow[i].first.tokens;
    same.answers += got == expected;
    for (std::size_t n = 0; n < expected.size(); ++n) {
      if (requests[i].puzzle.frozen[n] != 0) continue;
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
                         const inference::EngineSettings& engine_settings,
                         const DecodeBench& bench) {
  const model_files::CheckpointConfig config = model_files::read_config(folder);
  if (!config.about.card)
    throw Error(fmt::format("{} says nothing of a task", folder.string()),
                "a model trained by mgdm");
  const spec::ModelCard card = *config.about.card;
  const std::shared_ptr<inference::Engine> engine =
      engine::load_engine(folder, config, card, engine_settings);
  const inference::Reasoner reasoner(engine, config.settings, card,
                                     model_files::read_vocabulary(folder, config));
  spec::DecodingSettings settings = card.decoding;
  if (bench.steps > 0) settings.steps = bench.steps;
  settings.tries = settings.symmetries = 1;  // what one answer takes
  settings = reasoner.resolved(settings);
  std::vector<Request> requests, compared;
  const auto count = static_cast<std::size_t>(bench.batch);
  for (const tasks::Example& puzzle :
       cli::fresh_puzzles(reasoner, /*seed=*/0, std::max(count, kCompared)).examples) {
    const std::size_t number = std::max(requests.size(), compared.size());
    const Request request =
        reasoner.request(puzzle.input, static_cast<std::uint32_t>(number), settings);
    if (number < count) requests.push_back(request);
    if (number < kCompared) compared.push_back(request);
  }

  const c10::Device device = compat::device(engine_settings.device);
  DecodeSpeed speed{.parameters = spec::parameter_count(config.settings),
                    .length = card.length,
                    .batch = bench.batch,
                    .steps = settings.steps,
                    .device = engine->device()};
  {
    const auto plain = engine::load_torch_engine(folder, config, card, engine_settings);
    const Same same = compare(*engine, *plain, compared, count);
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
    const std::vector<Finished> all = answered(*engine, requests);
    compat::synchronize(device);
    speed.passes = 0;
    for (const Finished& each : all)
      speed.passes = std::max(speed.passes, static_cast<double>(each.first.forward_passes));
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
