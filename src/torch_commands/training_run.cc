#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "base/version.h"
#include "compat/deterministic.h"
#include "compat/device.h"
#include "compat/parallel.h"
#include "data/prepare_data.h"
#include "distributed/process_group.h"
#include "distributed/slurm.h"
#include "engine/load_torch_network.h"
#include "model_files/adapter.h"
#include "model_files/checkpoint_config.h"
#include "spec/tensors.h"
#include "tasks/all_tasks.h"
#include "torch_commands/open_run.h"
#include "torch_commands/run_evaluation.h"
#include "torch_commands/start_model.h"
#include "torch_commands/torch_commands.h"
#include "training/status_line.h"
#include "training/train.h"

namespace mgdm::torch_commands {
namespace {

data::PreparedData prepare(const spec::Recipe& recipe, const data::Vocabulary& vocabulary,
                           int threads, bool quiet) {
  data::DataSettings settings = recipe.data;
  settings.threads = threads;
  Progress progress("preparing data", data::examples_to_make(settings), quiet);
  return data::prepare_data(recipe.task, settings, static_cast<std::uint64_t>(recipe.seed),
                            vocabulary, [&](std::size_t examples) { progress.add(examples); });
}

// How puzzles of one's own files differ from those that are generated to evaluate them, as far as
// the first held-out one tells.
std::optional<std::string> strange_to_evaluation(const spec::Recipe& recipe,
                                                 const data::PreparedData& data) {
  const bool generated = recipe.evaluation.count > 0 && recipe.evaluation.files.empty();
  const bool all_from_files = !recipe.data.files.empty() && recipe.data.sources.empty();
  if (!generated || !all_from_files || data.held_out.size() == 0) return std::nullopt;
  const auto task =
      tasks::make_task(recipe.task, recipe.data.all_sources().front().task, /*learned=*/true);
  const std::string& puzzle = data.held_out.example(0).input;
  const tasks::Padding* const padding = task->abilities().padding;
  if (padding != nullptr && padding->padded(puzzle)) return "their size is not that";
  return task->unfamiliar(puzzle);
}

// An Error when one of them cannot be read.
void check_files(const std::vector<std::string>& files) {
  for (const std::string& file : files) LineReader{file};
}

}  // namespace

std::filesystem::path train(const spec::Recipe& asked, const spec::RunRequest& request) {
  spec::Recipe recipe = asked;
  if (recipe.training.deterministic) compat::prepare_deterministic_cuda();
  distributed::adopt_slurm_variables();
  const c10::Device device = compat::device(recipe.training.device);
  if (device.is_cpu()) compat::keep_freed_memory();
  const int threads = compat::use_threads(
      static_cast<int>(request.threads > 0 ? request.threads : recipe.data.threads));
  const auto seed = static_cast<std::uint64_t>(recipe.seed);
  // Early: whatever goes wrong from here on with one process ends the others, too.
  distributed::ProcessGroup group(device);
  const bool quiet = request.quiet || !group.first();
  // What needs no data is refused before any is made.
  spec::check(recipe.model);
  const std::optional<spec::BaseModel> base = start_base(recipe);
  const data::Vocabulary vocabulary = start_vocabulary(recipe);
  if (tasks::make_task(recipe.task)->abilities().any_text)
    recipe.data.alphabet = vocabulary.alphabet();  // found in the files, kept with the run
  start_objective(recipe, vocabulary);
  check_start(recipe, vocabulary);
  for (const data::SourceSettings& source : recipe.data.all_sources()) check_files(source.files);
  if (group.first()) {  // nobody else reads or writes these
    check_files(recipe.evaluation.files);
    training::RunFolder::check(request.out, request.resume);
  }
  training::share_of(recipe.training, group);

  const data::PreparedData data = prepare(recipe, vocabulary, threads, quiet);
  if (const data::WrongLabels& labels = data.wrong_labels; labels.count > 0 && !quiet)
    say("{} of {} answers looked at in data.files are wrong by the rules of {}: {}\n", labels.count,
        labels.looked_at, recipe.task, printable(labels.first));
  if (const auto strange = strange_to_evaluation(recipe, data); strange && !quiet)
    say("evaluation: generated puzzles, unlike those of data.files ({} of generated ones); "
        "evaluation.files names others\n",
        *strange);
  const int length = data.train.length();
  training::Budget(recipe.training, static_cast<std::int64_t>(data.train.size()));

  const std::shared_ptr<nn::Model> model = start_model(recipe, data.vocabulary, length, device);
  const auto objective = start_objective(recipe, data.vocabulary, &model->parameters());
  const spec::ModelCard card = card_of(recipe, length);
  inference::LoadedModel answering(
      engine::torch_network(model, recipe.training.precision == "bf16"), model->settings(), card,
      data.vocabulary);
  if (group.first() && !recipe.evaluation.verifier.empty())
    answering.use_verifier(recipe.evaluation.verifier);
  std::optional<RunEvaluation> evaluation;
  std::optional<OpenedRun> run;
  if (group.first()) {
    evaluation.emplace(recipe, data, answering, quiet);
    spec::Recipe resolved = recipe;
    resolved.data.length = length;
    run.emplace(open_run(request.out, resolved,
                         {{"version", version()},
                          {"git_revision", git_revision()},
                          {"device", compat::device_name(device)},
                          {"processes", std::to_string(group.size())},
                          {"threads", std::to_string(threads)},
                          {"recipe", request.recipe}},
                         {.resume = request.resume, .quiet = quiet, .on_cpu = device.is_cpu()}));
  }
  // LoRA's matrices go on beside the base that they were trained on.
  const auto newest = run && base ? run->folder.newest_checkpoint() : std::nullopt;
  if (newest) model_files::check_base(model_files::read_config(*newest).about, base->folder);
  if (!quiet)
    say("{}: {} parameters{}, {} examples of {} tokens, {}{}\n", printable(request.out),
        model->parameters().count(),
        base ? fmt::format(" ({} trained)", spec::trained_count(model->settings())) : "",
        data.train.size() > 0 ? fmt::format("{}", data.train.size()) : "endless", length,
        compat::device_name(device),
        group.size() > 1 ? fmt::format(", {} processes", group.size()) : "");

  const auto last = training::train({.model = *model,
                                     .objective = *objective,
                                     .data = data,
                                     .optimizer = recipe.optimizer,
                                     .training = recipe.training,
                                     .seed = seed,
                                     .about = {card, {{"git_revision", git_revision()}}, base},
                                     .group = group,
                                     .folder = run ? &run->folder : nullptr,
                                     .resume = request.resume,
                                     .quiet = quiet,
                                     .on_begin =
                                         [&](std::int64_t step) {
                                           run->begin(step);
                                           if (request.on_begin) request.on_begin();
                                         },
                                     .on_evaluate = [&](std::int64_t) { return (*evaluation)(); },
                                     .on_progress = request.on_progress});
  if (!quiet) fmt::print("{}\n", printable(last.string()));
  return last;
}

}  // namespace mgdm::torch_commands
