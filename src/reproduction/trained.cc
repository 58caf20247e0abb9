#include "reproduction/trained.h"

#include <fmt/format.h>

#include <cmath>

#include "inference/models.h"
#include "reproduction/metrics.h"
#include "reproduction/weights.h"
#include "spec/checkpoints.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

// The newest checkpoint of a run, with its step.
std::optional<std::pair<std::int64_t, fs::path>> newest(const fs::path& run) {
  const auto all = spec::checkpoints(run);
  if (all.empty()) return std::nullopt;
  return std::pair(all.rbegin()->first, all.rbegin()->second);
}

// The steps of a run when it has come to its end: what it says itself counts, since rows that are
// cut out of long answers are more than the recipe's examples.
std::int64_t steps_in_all(const fs::path& run, const spec::Recipe& recipe) {
  const auto epochs = read_metric(run, "epoch");
  if (recipe.training.epochs <= 0 || epochs.empty() || epochs.back().y <= 0)
    return planned_steps(recipe);
  return std::llround(recipe.training.epochs * epochs.back().x / epochs.back().y);
}

std::string training_command(const std::string& recipe) {
  return fmt::format("mgdm train {}{}", recipe_words(recipe),
                     weights_of(recipe).empty() ? "" : " init=DIR");
}

// What a shortened training has of its recipe.
Trained shortened(const Context& context, const std::string& recipe, std::int64_t step,
                  const fs::path& checkpoint) {
  const fs::path run = short_run_folder(context, recipe);
  const spec::Recipe whole = spec::read_recipe(recipe_file(recipe), {}),
                     part = spec::read_recipe((run / "config.toml").string(), {});
  const bool smaller = part.training.batch != whole.training.batch;
  const bool ended = short_seconds(context, recipe) >= 60 * part.training.minutes;
  return {
      checkpoint.string(),
      fmt::format("trained shorter than in the paper: {} steps of {}{}, {}", step,
                  planned_steps(whole),
                  smaller ? fmt::format(", on {} examples at a time instead of {}",
                                        part.training.batch, whole.training.batch)
                          : "",
                  ended ? "the schedule shortened to them" : "and interrupted before its end"),
      fmt::format(
          "{}{}{} training.epochs=0 training.steps=0 training.minutes={:g} --out {}",
          training_command(recipe),
          part.data.count != whole.data.count ? fmt::format(" data.count={}", part.data.count) : "",
          smaller ? fmt::format(" training.batch={}", part.training.batch) : "",
          part.training.minutes, run.string())};
}

}  // namespace

bool is_recipe(const std::string& model) { return model.find('/') != std::string::npos; }

fs::path run_folder(const Context& context, const std::string& recipe) {
  return context.runs / fs::path(recipe).filename();
}

fs::path short_run_folder(const Context& context, const std::string& recipe) {
  return context.runs / (fs::path(recipe).filename().string() + "-short");
}

double short_seconds(const Context& context, const std::string& recipe) {
  const auto logged = read_metric(short_run_folder(context, recipe), "seconds");
  return logged.empty() ? 0 : logged.back().y;
}

std::optional<Trained> find_trained(const Context& context, const std::string& model) {
  if (!is_recipe(model)) return Trained{inference::find_model(model)};
  const auto whole = newest(run_folder(context, model)),
             part = newest(short_run_folder(context, model));
  const std::int64_t steps =
      steps_in_all(run_folder(context, model), spec::read_recipe(recipe_file(model), {}));
  if (whole && (whole->first >= steps || !part || whole->first >= part->first))
    return Trained{
        whole->second.string(),
        whole->first >= steps ? "" : fmt::format("unfinished: step {} of {}", whole->first, steps),
        training_command(model)};
  if (!part) return std::nullopt;
  return shortened(context, model, part->first, part->second);
}

std::string why_untrained(const Context& context, const std::string& recipe) {
  const std::string weights = missing_weights(context, recipe);
  return weights.empty() ? "not trained yet: " + training_command(recipe) : weights;
}

}  // namespace mgdm::reproduction
