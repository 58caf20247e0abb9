#include "torch_commands/losses.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "compat/device.h"
#include "compat/out_of_memory.h"
#include "compat/parallel.h"
#include "evaluation/loss_report.h"
#include "evaluation/result_json.h"
#include "inference/models.h"
#include "nn/checkpoint.h"
#include "training/loss_profile.h"

namespace mgdm::torch_commands {
namespace {

void draw(const cli::EvalSettings& settings, const std::string& task,
          const evaluation::LossProfile& profile) {
  const bool has_levels = profile.all.noised.levels() > 1;
  const bool over_level =
      settings.figure_over == "level" || (settings.figure_over == "auto" && has_levels);
  write_file(settings.figure, evaluation::loss_figure(task, profile,
                                                      over_level ? evaluation::Axis::kLevel
                                                                 : evaluation::Axis::kPosition));
}

// Of the decoding flags only --steps, the noise levels, and --seed count here; the model's own
// unless they are given.
decoding::DecodingSettings levels_and_seed(const cli::DecodingFlags& flags,
                                           const decoding::DecodingSettings& of_model) {
  decoding::DecodingSettings settings = of_model;
  for (const std::string& key : cli::decoding_keys()) {
    if (std::find(flags.given.begin(), flags.given.end(), key) == flags.given.end()) continue;
    if (key == "steps")
      settings.steps = flags.settings.steps;
    else if (key == "seed")
      settings.seed = flags.settings.seed;
    else
      throw UsageError(fmt::format("--{} changes nothing with --losses", key),
                       "--steps or --seed: losses are measured without decoding");
  }
  return settings;
}

}  // namespace

void measure_losses(const cli::EvalSettings& asked) {
  cli::EvalSettings settings = asked;
  settings.compute.threads = compat::use_threads(static_cast<int>(settings.compute.threads));
  const std::string folder = inference::find_model(settings.model);
  const nn::LoadedModel loaded = nn::load_model(folder);
  loaded.model->to(compat::device(settings.compute.device));
  if (!loaded.about.card || !loaded.vocabulary)
    throw Error(fmt::format("{} says nothing of a task", folder), "a model trained by mgdm");
  const spec::ModelCard& card = *loaded.about.card;
  const spec::PuzzleRows rows(card, *loaded.vocabulary);
  settings.decode.settings = levels_and_seed(settings.decode, card.decoding);
  const std::vector<tasks::Example> examples = cli::read_puzzles(settings, rows.task());
  const std::string task = rows.task().name();

  const std::size_t count = std::min(static_cast<std::size_t>(settings.batch), examples.size());
  const evaluation::LossProfile profile = compat::with_memory_for_puzzles(count, [&] {
    Progress progress("measuring losses on " + task, examples.size(), settings.quiet);
    return training::profile_losses(*loaded.model, card, rows, examples,
                                    {.levels = settings.decode.settings.steps,
                                     .samples = settings.samples,
                                     .seed = settings.decode.settings.seed,
                                     .batch = settings.batch},
                                    card.precision == "bf16",
                                    [&](std::size_t n) { progress.add(n); });
  });
  write_file(settings.losses,
             evaluation::result_text(evaluation::loss_json(task, examples.size(), profile),
                                     config::Fields(settings).all()));
  if (!settings.figure.empty()) draw(settings, task, profile);
  if (!settings.quiet && !settings.no_table)
    say_to(evaluation::for_people({settings.losses, settings.figure}), "{}",
           evaluation::loss_text(task, profile));
}

}  // namespace mgdm::torch_commands
