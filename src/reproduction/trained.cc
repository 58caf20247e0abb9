#include "reproduction/trained.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/paths.h"
#include "inference/models.h"
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

}  // namespace

bool is_recipe(const std::string& model) { return model.find('/') != std::string::npos; }

fs::path run_folder(const Context& context, const std::string& recipe) {
  return context.runs / fs::path(recipe).filename();
}

fs::path short_run_folder(const Context& context, const std::string& recipe) {
  return context.runs / (fs::path(recipe).filename().string() + "-short");
}

std::optional<Trained> find_trained(const Context& context, const std::string& model) {
  if (!is_recipe(model)) return Trained{inference::find_model(model)};
  const auto whole = newest(run_folder(context, model)),
             part = newest(short_run_folder(context, model));
  const std::int64_t steps = planned_steps(spec::read_recipe(recipe_file(model), {}));
  const std::string command = "mgdm train " + recipe_words(model);
  if (whole && (whole->first >= steps || !part || whole->first >= part->first))
    return Trained{
        whole->second.string(),
        whole->first >= steps ? "" : fmt::format("unfinished: step {} of {}", whole->first, steps),
        command};
  if (!part) return std::nullopt;
  const fs::path run = short_run_folder(context, model);
  const double minutes = spec::read_recipe(run / "config.toml", {}).training.minutes;
  return Trained{
      part->second.string(),
      fmt::format(
          "trained shorter than in the paper: {} steps of {}, the schedule shortened to them",
          part->first, steps),
      fmt::format("{} training.epochs=0 training.steps=0 training.minutes={:g} --out {}", command,
                  minutes, run.string())};
}

}  // namespace mgdm::reproduction
