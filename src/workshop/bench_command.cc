#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "base/files.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/heavy_commands.h"
#include "cli/threads.h"
#include "compat/device.h"
#include "compat/parallel.h"
#include "report/result_json.h"
#include "spec/overrides.h"
#include "spec/recipe.h"
#include "workshop/bench_train.h"
#include "workshop/signature.h"
#include "workshop/workshop.h"

namespace mgdm::workshop {
namespace {

struct BenchSettings {
  std::string name, recipe;
  std::vector<std::string> overrides;
  std::string device, json;
  std::int64_t threads = 0, batch = 16, turns = 3, steps = 20;
  bool profile = false, quiet = false;

  void visit(config::Visitor& v) {
    v.field("name", name, "which one; without a name they are listed");
    v.field("recipe", recipe, "train: the recipe to time, see recipes/");
    v.field("overrides", overrides, "train: key=value ...: changes to the recipe");
    v.field("device", device, "auto, cpu, cuda or cuda:N (empty = cpu; train: as the recipe says)");
    cli::visit_threads(v, threads);
    v.field("batch", batch, "signature: rows at a time", config::range(1, 1e6));
    v.field("turns", turns, "train: how often the time is taken", config::range(1, 1000));
    v.field("steps", steps, "train: steps in a turn", config::range(1, 1e6));
    v.field("profile", profile, "train, CUDA: the kernels of one step, their time and operations");
    v.field("json", json, "write the result to this file; - prints it alone");
    v.field("quiet", quiet, "print nothing but errors");
  }
};

void bench_signature(BenchSettings settings) {
  settings.threads = compat::use_threads(static_cast<int>(settings.threads));
  if (settings.device.empty()) settings.device = "cpu";
  const c10::Device device = compat::device(settings.device);
  const Signature result = signature({.device = device,
                                      .threads = static_cast<int>(settings.threads),
                                      .batch = static_cast<std::size_t>(settings.batch)});
  const auto hex = [](std::uint64_t hash) { return fmt::format("{:016x}", hash); };
  if (!settings.json.empty()) {
    nlohmann::ordered_json json;
    json["signature"] = hex(result.hash);
    for (const SignaturePart& part : result.parts) json["parts"][part.name] = hex(part.hash);
    json["device"] = compat::device_name(device);
    write_file(settings.json, report::result_text(std::move(json), config::Fields(settings).all()));
  }
  if (settings.quiet) return;
  std::FILE* const out = report::for_people({settings.json});
  for (const SignaturePart& part : result.parts)
    fmt::print(out, "{}  {}\n", hex(part.hash), part.name);
  fmt::print(out, "{}  signature\n", hex(result.hash));
}

nlohmann::ordered_json to_json(const TrainSpeed& speed) {
  nlohmann::ordered_json json{{"parameters", speed.parameters},
                              {"length", speed.length},
                              {"batch", speed.batch},
                              {"ms", speed.ms},
                              {"turns_ms", speed.turns_ms},
                              {"tokens_per_second", speed.tokens_per_second()},
                              {"tflop_per_second", speed.tflop_per_second()},
                              {"memory_bytes", speed.memory_bytes},
                              {"device", speed.device}};
  for (const compat::KernelUse& kernel : speed.kernels)
    json["kernels"].push_back(
        {{"name", kernel.name}, {"calls", kernel.calls}, {"ms", kernel.ms}, {"flop", kernel.flop}});
  return json;
}

void print(std::FILE* out, const TrainSpeed& speed) {
  fmt::print(out,
             "{}: {} parameters, {} rows of {} tokens\n"
             "{:.2f} ms a step, {} tokens/s, {:.1f} TFLOP/s",
             speed.device, speed.parameters, speed.batch, speed.length, speed.ms,
             format_count(speed.tokens_per_second()), speed.tflop_per_second());
  if (speed.memory_bytes > 0)
    fmt::print(out, ", {:.1f} GB at most", static_cast<double>(speed.memory_bytes) / 1e9);
  fmt::print(out, "\n");
  if (speed.kernels.empty()) return;
  fmt::print(out, "\n|    ms |     % | calls | TFLOP/s | kernel |\n|---:|---:|---:|---:|---|\n");
  double all = 0;
  for (const compat::KernelUse& kernel : speed.kernels) all += kernel.ms;
  for (const compat::KernelUse& kernel : speed.kernels)
    fmt::print(out, "| {:5.3f} | {:5.1f} | {:5} | {:>7} | {} |\n", kernel.ms, 100 * kernel.ms / all,
               kernel.calls,
               kernel.flop > 0 ? fmt::format("{:.0f}", kernel.flop / kernel.ms / 1e9) : "",
               printable(kernel.name).substr(0, 120));
  fmt::print(out, "| {:5.3f} | 100.0 | | | all kernels |\n", all);
}

void bench_training(BenchSettings settings) {
  if (settings.recipe.empty())
    throw UsageError("no recipe to time", "mgdm bench train recipes/NAME.toml");
  spec::Recipe recipe = spec::read_recipe(settings.recipe, settings.overrides);
  spec::check_effects(recipe, settings.overrides);
  if (!settings.device.empty()) recipe.training.device = settings.device;
  if (settings.threads > 0) recipe.data.threads = settings.threads;
  if (settings.profile && compat::device(recipe.training.device).is_cpu())
    throw UsageError("--profile on a CPU", "--profile with --device cuda");
  const TrainSpeed speed = bench_train(
      recipe, {.turns = settings.turns, .steps = settings.steps, .profile = settings.profile});
  if (!settings.json.empty())
    write_file(settings.json, report::result_text(to_json(speed), config::Fields(settings).all()));
  if (!settings.quiet) print(report::for_people({settings.json}), speed);
}

struct Bench {
  const char* name;
  const char* about;
  void (*run)(BenchSettings);
};

constexpr std::array kBenches{
    Bench{"signature",
          "a hash over all that is drawn: equal on all machines, devices and LibTorch versions",
          bench_signature},
    Bench{"train", "how fast a recipe trains: a step's time, tokens, operations, memory, kernels",
          bench_training},
};

void run_bench(const BenchSettings& settings) {
  if (settings.name.empty()) {
    for (const Bench& bench : kBenches) fmt::print("{:<12} {}\n", bench.name, bench.about);
    fmt::print("\nmgdm bench NAME runs one of them.\n");
    return;
  }
  std::vector<std::string> names;
  for (const Bench& bench : kBenches) {
    if (settings.name == bench.name) return bench.run(settings);
    names.emplace_back(bench.name);
  }
  throw UsageError(fmt::format("there is no bench {}", in_quotes(settings.name)), joined_or(names),
                   did_you_mean(settings.name, names));
}

}  // namespace

cli::Command bench_command() {
  return cli::make_command<BenchSettings>(
      "bench", cli::about_heavy("bench"),
      "  mgdm bench\n"
      "  mgdm bench signature\n"
      "  mgdm bench signature --device cuda --json signature.json\n"
      "  mgdm bench train recipes/quick/planning-mgdm.toml\n"
      "  mgdm bench train recipes/frontier/countdown-4.toml training.batch=1024 --device cuda "
      "--profile\n",
      {"name", "recipe", "overrides"}, {}, run_bench);
}

}  // namespace mgdm::workshop
