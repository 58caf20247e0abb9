#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "compat/device.h"
#include "compat/parallel.h"
#include "evaluation/score_report.h"
#include "inference/models.h"
#include "model_files/checkpoints.h"
#include "spec/overrides.h"
#include "spec/recipe.h"
#include "torch_commands/bench_decode.h"
#include "torch_commands/bench_report.h"
#include "torch_commands/bench_train.h"
#include "torch_commands/signature.h"
#include "torch_commands/torch_commands.h"

namespace mgdm::torch_commands {
namespace {

using cli::BenchSettings;

// Writes and prints what a bench found.
template <class Speed>
void report(BenchSettings settings, const Speed& speed) {
  const nlohmann::ordered_json found = to_json(speed);
  if (!settings.json.empty())
    write_file(settings.json, evaluation::result_text(found, config::Fields(settings).all()));
  if (!settings.md.empty()) write_file(settings.md, to_markdown(found));
  if (!settings.csv.empty()) write_file(settings.csv, to_csv(found));
  if (!settings.quiet)
    say_to(evaluation::for_people({settings.json, settings.md, settings.csv}), "{}",
           to_text(speed));
}

void check_profile(const BenchSettings& settings, const std::string& device) {
  if (settings.profile && compat::device(device).is_cpu())
    throw UsageError("--profile on a CPU", "--profile with --device cuda");
}

}  // namespace

void bench_signature(BenchSettings settings) {
  settings.threads = compat::use_threads(static_cast<int>(settings.threads));
  if (settings.device.empty()) settings.device = "cpu";
  const c10::Device device = compat::device(settings.device);
  const Signature result =
      signature({.device = device,
                 .threads = static_cast<int>(settings.threads),
                 .batch = static_cast<std::size_t>(settings.batch > 0 ? settings.batch : 16)});
  const auto hex = [](std::uint64_t hash) { return fmt::format("{:016x}", hash); };
  if (!settings.json.empty()) {
    nlohmann::ordered_json json;
    json["signature"] = hex(result.hash);
    for (const SignaturePart& part : result.parts) json["parts"][part.name] = hex(part.hash);
    json["device"] = compat::device_name(device);
    write_file(settings.json,
               evaluation::result_text(std::move(json), config::Fields(settings).all()));
  }
  if (settings.quiet) return;
  std::FILE* const out = evaluation::for_people({settings.json});
  for (const SignaturePart& part : result.parts) say_to(out, "{}  {}\n", hex(part.hash), part.name);
  say_to(out, "{}  signature\n", hex(result.hash));
}

void bench_training(BenchSettings settings) {
  if (settings.subject.empty())
    throw UsageError("no recipe to time", "mgdm bench train recipes/NAME.toml");
  spec::Recipe recipe = spec::read_recipe(settings.subject, settings.overrides);
  spec::check_effects(recipe, settings.overrides);
  if (!settings.device.empty()) recipe.training.device = settings.device;
  if (settings.threads > 0) recipe.data.threads = settings.threads;
  if (settings.batch > 0) recipe.training.batch = settings.batch;
  check_profile(settings, recipe.training.device);
  report(settings, bench_train(recipe, {.turns = settings.turns,
                                        .steps = settings.steps > 0 ? settings.steps : 20,
                                        .profile = settings.profile}));
}

void bench_decoding(BenchSettings settings) {
  if (settings.subject.empty())
    throw UsageError("no model to time", "mgdm bench decode MODEL, or recipes/NAME.toml");
  if (settings.device.empty()) settings.device = "auto";
  check_profile(settings, settings.device);
  const DecodeBench bench{.batch = std::max<std::int64_t>(1, settings.batch),
                          .turns = settings.turns,
                          .steps = settings.steps,
                          .profile = settings.profile};
  const inference::ComputeSettings engine{.device = settings.device, .threads = settings.threads};
  if (!settings.subject.ends_with(".toml")) {
    if (!settings.overrides.empty())
      throw UsageError("changes to a model", "key=value with a recipe");
    return report(settings, bench_decode(inference::find_model(settings.subject), engine, bench));
  }
  const spec::Recipe recipe = spec::read_recipe(settings.subject, settings.overrides);
  const model_files::AtomicFolder untrained(std::filesystem::temp_directory_path() / "mgdm-bench");
  write_untrained(untrained.path(), recipe);
  report(settings, bench_decode(untrained.path(), engine, bench));
}

}  // namespace mgdm::torch_commands
