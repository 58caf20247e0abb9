#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/threads.h"
#include "compat/deterministic.h"
#include "compat/device.h"
#include "compat/freed_memory.h"
#include "compat/out_of_memory.h"
#include "compat/parallel.h"
#include "data/examples_file.h"
#include "distributed/process_group.h"
#include "engine/torch_engine.h"
#include "evaluation/evaluate.h"
#include "inference/models.h"
#include "nn/checkpoint.h"
#include "spec/checkpoints.h"
#include "spec/overrides.h"
#include "spec/recipe.h"
#include "training/train.h"
#include "workshop/workshop.h"

namespace mgdm::workshop {
namespace {

struct TrainCommandSettings {
  std::string recipe;
  std::vector<std::string> overrides;
  std::string out;
  std::int64_t threads = 0;
  bool resume = false;
  bool quiet = false;

  void visit(config::Visitor& v) {
    v.field("recipe", recipe, "a TOML file, see recipes/");
    v.field("overrides", overrides, "key=value ...: changes to the recipe");
    v.field("out", out, "the run's folder (empty = runs/ and the recipe's name)");
    cli::visit_threads(v, threads);
    v.field("resume", resume, "continue the run in that folder");
    v.field("quiet", quiet, "no status line");
  }
};

// The test puzzles a recipe names, or the head of the task's own test split.
std::vector<tasks::Example> test_examples(const spec::Recipe& recipe, const tasks::Task& task) {
  std::vector<tasks::Example> examples;
  const auto count = static_cast<std::size_t>(recipe.evaluation.count);
  for (const std::string& file : recipe.evaluation.files)
    for (auto& located : data::read_examples(file, task))
      if (count == 0 || examples.size() < count) examples.push_back(std::move(located.example));
  if (recipe.evaluation.files.empty())
    for (std::uint32_t i = 0; i < count; ++i)
      examples.push_back(
          task.generate(static_cast<std::uint64_t>(recipe.seed), tasks::Split::kTest, i));
  return examples;
}

training::Metrics metrics_of(const evaluation::Evaluation& result, std::int64_t tries,
                             std::size_t asked) {
  training::Metrics metrics{{"accuracy", result.score.all.accuracy()}};
  if (const auto paper = result.score.all.accuracy_paper())
    metrics.emplace_back("accuracy_paper", *paper);
  metrics.emplace_back("forward_passes", result.forward_passes);
  metrics.emplace_back("samples_per_second", result.samples_per_second);
  if (tries > 1) metrics.emplace_back("accuracy_best_of_tries", result.best.all.accuracy());
  for (const auto& [distance, tally] : result.score.by_planning_distance)
    metrics.emplace_back(fmt::format("accuracy_distance_{}", distance), tally.accuracy());
  // The time was over before all were done.
  if (result.score.all.n < asked)
    metrics.emplace_back("puzzles", static_cast<double>(result.score.all.n));
  return metrics;
}

std::unique_ptr<nn::Model> start_model(const spec::Recipe& recipe,
                                       const data::Vocabulary& vocabulary, std::int64_t length) {
  spec::ModelSettings settings = recipe.model;
  if (const int size = vocabulary.size();
      settings.vocabulary != spec::ModelSettings().vocabulary && settings.vocabulary != size)
    throw UsageError(fmt::format("model.vocabulary = {}", settings.vocabulary),
                     fmt::format("{}, which follows from data.alphabet", size));
  settings.vocabulary = vocabulary.size();
  if (settings.positions < length)
    throw UsageError(
        fmt::format("model.positions = {}, but rows have {} tokens", settings.positions, length),
        "at least as many positions as tokens in a row");
  if (recipe.init.empty()) return nn::make_model(settings, static_cast<std::uint64_t>(recipe.seed));
  const auto folder = inference::find_model(recipe.init);
  if (const std::string alphabet = spec::read_config(folder).alphabet;
      !alphabet.empty() && alphabet != vocabulary.alphabet())
    throw Error(fmt::format("{} was trained on the alphabet {}", recipe.init, in_quotes(alphabet)),
                "data.alphabet with the same characters in the same order");
  auto model = nn::make_model(settings, /*seed=*/{});
  nn::load_weights(folder, *model);
  return model;
}

// What would stop the last evaluation: puzzles without room, settings that do not go together.
void check_decoding(const inference::Reasoner& reasoner, std::span<const tasks::Example> test,
                    const spec::DecodingSettings& decoding) {
  for (const tasks::Example& example : test) reasoner.rows().check_room(example);
  if (!test.empty()) evaluation::evaluate(reasoner, test.first(1), decoding, 1);
}

// A warning, or nothing when the run had the same number: threads decide in which order numbers are
// added.
std::string other_threads(const std::map<std::string, std::string>& environment, int threads) {
  const auto was = environment.find("threads");
  if (was == environment.end() || was->second == std::to_string(threads)) return "";
  return fmt::format(
      "resuming with {} threads, was {}: the run goes on, but not bit for bit as it would have "
      "(--threads {} does)\n",
      threads, printable(was->second), printable(was->second));
}

// The steps that the run in `out` has done when there are no more to do: what it was trained by
// then stays as it is.
std::optional<std::int64_t> all_steps_done(const spec::Recipe& recipe,
                                           const std::filesystem::path& out) {
  const auto newest = spec::newest_checkpoint(out);
  if (!newest || recipe.training.steps == 0) return std::nullopt;
  const auto done = spec::checkpoint_step(*newest);
  return done && *done >= recipe.training.steps ? done : std::nullopt;
}

void run(const TrainCommandSettings& settings) {
  const spec::Recipe recipe = spec::read_recipe(settings.recipe, settings.overrides);
  spec::check_effects(recipe, settings.overrides);
  const std::filesystem::path out =
      settings.out.empty()
          ? std::filesystem::path("runs") / std::filesystem::path(settings.recipe).stem()
          : std::filesystem::path(settings.out);
  if (recipe.training.deterministic) compat::prepare_deterministic_cuda();
  const c10::Device device = compat::device(recipe.training.device);
  if (device.is_cpu()) compat::keep_freed_memory();
  const int threads = compat::use_threads(
      static_cast<int>(settings.threads > 0 ? settings.threads : recipe.data.threads));
  const auto seed = static_cast<std::uint64_t>(recipe.seed);
  // Early: whatever goes wrong from here on with one process ends the others, too.
  distributed::ProcessGroup group(device);
  const bool quiet = settings.quiet || !group.first();

  if (!quiet) fmt::print(stderr, "preparing data ...\n");
  data::DataSettings data_settings = recipe.data;
  data_settings.threads = threads;
  const data::PreparedData data = data::prepare_data(recipe.task, data_settings, seed);
  const data::Vocabulary& vocabulary = data.vocabulary;
  const int length = data.train.length();

  // Everything that can be refused is refused before the first file is written.
  training::Budget(recipe.training, static_cast<std::int64_t>(data.train.size()));
  training::share_of(recipe.training, group);
  const std::shared_ptr<nn::Model> model =
      compat::with_memory_for("the model", "a smaller model.width, or fewer model.layers",
                              [&]() -> std::shared_ptr<nn::Model> {
                                auto made = start_model(recipe, vocabulary, length);
                                made->to(device);
                                return made;
                              });
  objectives::Settings objective_settings = recipe.objective;
  objective_settings.vocabulary = vocabulary.size();
  const auto objective = objectives::make_objective(objective_settings);

  const spec::ModelCard card{.task = recipe.task,
                             .layout = recipe.data.layout,
                             .length = length,
                             .objective = recipe.objective.kind,
                             .train_shown = recipe.objective.train_shown,
                             .reverse = recipe.data.reverse,
                             .precision = recipe.training.precision,
                             .decoding = recipe.decoding};
  const inference::Reasoner reasoner(
      engine::torch_engine(model, recipe.training.precision == "bf16"), model->settings(), card,
      vocabulary);
  const std::vector<tasks::Example> test =
      group.first() ? test_examples(recipe, *data.task) : std::vector<tasks::Example>{};
  check_decoding(reasoner, test, recipe.decoding);

  std::optional<training::RunFolder> folder;
  if (group.first()) {
    folder.emplace(out, settings.resume);
    spec::Recipe resolved = recipe;
    resolved.data.length = length;
    if (settings.resume)
      for (const std::string& change : spec::check_continues(
               spec::read_recipe(out / "config.toml", {}), resolved, out.string()))
        if (!quiet) fmt::print(stderr, "resuming with {}\n", printable(change));
    std::optional<std::int64_t> finished;
    if (settings.resume) finished = all_steps_done(recipe, out);
    if (finished && !quiet)
      fmt::print(
          stderr,
          "{} is at step {} and training.steps = {}: nothing is left to train (was an override "
          "forgotten? its config.toml has them)\n",
          out.string(), *finished, recipe.training.steps);
    if (settings.resume && device.is_cpu() && !quiet)
      fmt::print(stderr, "{}", other_threads(folder->environment(), threads));
    if (!finished) folder->write_config(config::Fields(resolved).dump());
    folder->write_environment({{"version", version()},
                               {"git_revision", git_revision()},
                               {"device", compat::device_name(device)},
                               {"processes", std::to_string(group.size())},
                               {"threads", std::to_string(threads)},
                               {"recipe", settings.recipe}});
  }
  if (!quiet)
    fmt::print(stderr, "{}: {} parameters, {} examples of {} tokens, {}{}\n", out.string(),
               model->parameters().count(),
               data.train.size() > 0 ? fmt::format("{}", data.train.size()) : "endless", length,
               compat::device_name(device),
               group.size() > 1 ? fmt::format(", {} processes", group.size()) : "");

  const auto on_evaluate = [&](std::int64_t) -> training::Metrics {
    if (test.empty()) return {};
    const auto result =
        evaluation::evaluate(reasoner, test, recipe.decoding, recipe.evaluation.batch,
                             /*progress=*/{}, 60 * recipe.evaluation.minutes);
    return metrics_of(result, recipe.decoding.tries, test.size());
  };
  const auto last = training::train({.model = *model,
                                     .objective = *objective,
                                     .data = data,
                                     .optimizer = recipe.optimizer,
                                     .training = recipe.training,
                                     .seed = seed,
                                     .about = {card, {{"git_revision", git_revision()}}},
                                     .group = group,
                                     .folder = folder ? &*folder : nullptr,
                                     .resume = settings.resume,
                                     .quiet = quiet,
                                     .on_evaluate = on_evaluate});
  if (!quiet) fmt::print("{}\n", last.string());
}

}  // namespace

cli::Command train_command() {
  cli::Command command = cli::make_command<TrainCommandSettings>(
      "train", "Train a model by a recipe",
      "  mgdm train recipes/paper/planning-tiny-mgdm.toml\n"
      "  mgdm train recipes/paper/countdown-4-base-mgdm.toml objective.beta=1 --out runs/beta1\n"
      "  mgdm train recipes/paper/planning-tiny-mgdm.toml --resume\n",
      {"recipe", "overrides"}, {"recipe"}, run);
  spec::Recipe recipe;
  command.more = "What a recipe can say, with the defaults:\n" + config::Fields(recipe).help();
  return command;
}

}  // namespace mgdm::workshop
