#include "reproduction/trained.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "formats/json_text.h"
#include "formats/jsonl.h"
#include "inference/models.h"
#include "model_files/checkpoints.h"
#include "reproduction/kept_results.h"
#include "spec/overrides.h"

namespace mgdm::reproduction {
namespace {

namespace fs = std::filesystem;

constexpr const char* kShortening = "shortened.json";

// The newest checkpoint of a run, with its step.
std::optional<std::pair<std::int64_t, fs::path>> newest(const fs::path& run) {
  const auto all = model_files::checkpoints(run);
  if (all.empty()) return std::nullopt;
  return std::pair(all.rbegin()->first, all.rbegin()->second);
}

std::string training_command(const std::string& recipe) {
  return fmt::format("mgdm train {}{}", recipe_words(recipe),
                     weights_of(recipe).empty() ? "" : " init=DIR");
}

// What was changed in a run of a recipe: somebody may have tried something in the folder that is
// the recipe's own.
std::vector<config::Fields::Difference> changes_in(const fs::path& run, const std::string& recipe,
                                                   const spec::Recipe& as_it_is) {
  if (!is_there(run / "config.toml")) return {};
  auto changes =
      spec::changes_of_training(as_it_is, spec::read_recipe((run / "config.toml").string(), {}));
  if (!weights_of(recipe).empty())  // where these lie is everybody's own
    std::erase_if(changes, [](const auto& change) { return change.key == "init"; });
  return changes;
}

Trained whole_run(const Context& context, const std::string& recipe, std::int64_t step,
                  const fs::path& checkpoint, std::int64_t steps) {
  const auto changes =
      changes_in(run_folder(context, recipe), recipe, spec::read_recipe(recipe_file(recipe), {}));
  Trained trained{checkpoint.string(), "", training_command(recipe)};
  if (changes.empty()) {
    if (step < steps) trained.note = fmt::format("unfinished: step {} of {}", step, steps);
    return trained;
  }
  std::vector<std::string> words;
  for (const auto& [key, here, there] : changes) {
    words.push_back(fmt::format("{} = {} instead of {}", key, there, here));
    trained.command += fmt::format(" '{}={}'", key, there);
  }
  trained.note =
      fmt::format("not the recipe as it is, {} steps with {}", step, joined_by(words, ", "));
  return trained;
}

// What a shortened training has of its recipe.
Trained shortened(const Context& context, const std::string& recipe, std::int64_t step,
                  const fs::path& checkpoint) {
  const fs::path run = short_run_folder(context, recipe);
  const spec::Recipe whole = spec::read_recipe(recipe_file(recipe), {}),
                     part = spec::read_recipe((run / "config.toml").string(), {});
  const bool smaller = part.training.batch != whole.training.batch;
  return {checkpoint.string(),
          fmt::format("trained shorter than in the paper: {} steps of {}{}, {}", step,
                      planned_steps(whole),
                      smaller ? fmt::format(", on {} examples at a time instead of {}",
                                            part.training.batch, whole.training.batch)
                              : "",
                      short_has_ended(context, recipe) ? "the schedule shortened to them"
                                                       : "and interrupted before its end"),
          fmt::format("{} {} --out {}", training_command(recipe),
                      joined_by(kept_shortening(run).changes, " "), run.string())};
}

// As they stand in the names of recipes.
const std::vector<std::string>& weights_names() {
  static const std::vector<std::string> kNames{"llama-7b", "llama-13b"};
  return kNames;
}

}  // namespace

std::int64_t steps_in_all(const fs::path& run, const spec::Recipe& recipe) {
  const auto epochs = formats::read_metric(run / "metrics.jsonl", "epoch");
  if (recipe.training.epochs <= 0 || epochs.empty() || epochs.back().y <= 0)
    return planned_steps(recipe);
  return std::llround(recipe.training.epochs * epochs.back().x / epochs.back().y);
}

bool is_recipe(const std::string& model) { return model.find('/') != std::string::npos; }

fs::path run_folder(const Context& context, const std::string& recipe) {
  return context.runs / fs::path(recipe).filename();
}

fs::path short_run_folder(const Context& context, const std::string& recipe) {
  return context.runs / (fs::path(recipe).filename().string() + "-short");
}

double short_seconds(const Context& context, const std::string& recipe) {
  const auto logged =
      formats::read_metric(short_run_folder(context, recipe) / "metrics.jsonl", "seconds");
  return logged.empty() ? 0 : logged.back().y;
}

bool short_has_ended(const Context& context, const std::string& recipe) {
  const fs::path config = short_run_folder(context, recipe) / "config.toml";
  return is_there(config) && short_seconds(context, recipe) >=
                                 60 * spec::read_recipe(config.string(), {}).training.minutes;
}

void keep_shortening(const fs::path& run, const Shortening& shortening) {
  make_folder(run);
  const Json json{{"share_seconds", shortening.share}, {"changes", shortening.changes}};
  write_file((run / kShortening).string(), formats::json_text(json, 2) + "\n");
}

Shortening kept_shortening(const fs::path& run) {
  if (!is_there(run / kShortening)) return {};
  const Json json = formats::parse_ordered_json(read_file(run / kShortening));
  Shortening kept{number_at(json, "share_seconds").value_or(0)};
  if (json.contains("changes"))
    for (const Json& change : json["changes"])
      if (change.is_string()) kept.changes.push_back(change);
  return kept;
}

std::optional<Trained> find_trained(const Context& context, const std::string& model) {
  if (!is_recipe(model)) {
    const auto models = inference::named_models();
    const auto found = models.find(model);
    return found == models.end() ? std::nullopt : std::optional(Trained{found->second});
  }
  const auto whole = newest(run_folder(context, model)),
             part = newest(short_run_folder(context, model));
  const std::int64_t steps =
      steps_in_all(run_folder(context, model), spec::read_recipe(recipe_file(model), {}));
  if (whole && (whole->first >= steps || !part || whole->first >= part->first))
    return whole_run(context, model, whole->first, whole->second, steps);
  if (!part) return std::nullopt;
  return shortened(context, model, part->first, part->second);
}

std::string why_untrained(const Context& context, const std::string& recipe) {
  if (!is_recipe(recipe)) return "this model is not here";
  const std::string weights = missing_weights(context, recipe);
  return weights.empty() ? "not trained yet: " + training_command(recipe) : weights;
}

std::string weights_of(const std::string& recipe) {
  for (const std::string& name : weights_names())
    if (recipe.find(name) != std::string::npos) return name;
  return "";
}

std::string missing_weights(const Context& context, const std::string& recipe) {
  const std::string name = weights_of(recipe);
  if (name.empty() || context.weights.contains(name)) return "";
  return fmt::format("needs the weights: --weights {}=DIR", name);
}

std::map<std::string, std::string> parse_weights(const std::vector<std::string>& words) {
  std::map<std::string, std::string> folders;
  for (const std::string& word : words) {
    const std::size_t sign = word.find('=');
    const std::string name = word.substr(0, sign);
    if (sign == std::string::npos || sign + 1 == word.size())
      throw UsageError(fmt::format("--weights {}", in_quotes(word)), "NAME=DIR: llama-7b=DIR");
    if (!contains(weights_names(), name))
      throw UsageError(
          fmt::format("--weights {}", in_quotes(word)),
          joined_or(weights_names()) + " before the =", did_you_mean(name, weights_names()));
    const std::string folder = word.substr(sign + 1);
    if (!is_there(std::filesystem::path(folder) / "config.json"))
      throw Error(fmt::format("--weights {}: there is no config.json in {}", name, folder),
                  "a model's folder as Hugging Face has them");
    if (!folders.emplace(name, folder).second)
      throw UsageError(fmt::format("--weights {} twice", name), "one folder for each");
  }
  return folders;
}

}  // namespace mgdm::reproduction
