#include "spec/overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "spec/kinds.h"

namespace mgdm::spec {
namespace {

Choices choices_of(const Recipe& recipe) {
  return {.objective = recipe.objective.kind,
          .architecture = recipe.model.architecture,
          .order = recipe.decoding.order,
          .optimizer = recipe.optimizer.optimizer,
          .schedule = recipe.optimizer.schedule,
          .reweight_tokens = recipe.objective.reweight_tokens,
          .train_shown = recipe.objective.train_shown,
          .early_stop = recipe.decoding.early_stop,
          .several_forms = recipe.decoding.several_forms()};
}

std::string key_of(const std::string& override_text) {
  return std::string(trim(std::string_view(override_text).substr(0, override_text.find('='))));
}

// Whether a run learns the same whatever this setting is.
bool is_beside_training(std::string_view key) {
  constexpr std::string_view kBeside[] = {"evaluation.",
                                          "decoding.",
                                          "training.log_",
                                          "training.checkpoint_",
                                          "training.keep",
                                          "training.shard_mb",
                                          "training.compact_state",
                                          "training.evaluate",
                                          "training.device",
                                          "training.best",
                                          "data.threads"};
  return std::ranges::any_of(kBeside, [&](std::string_view some) { return key.starts_with(some); });
}

}  // namespace

std::vector<config::Fields::Difference> changes(Recipe recipe, Recipe run) {
  if (recipe.data.length == 0) recipe.data.length = run.data.length;
  return config::Fields(recipe).differences(config::Fields(run));
}

std::vector<config::Fields::Difference> changes_of_training(const Recipe& recipe,
                                                            const Recipe& run) {
  auto all = changes(recipe, run);
  std::erase_if(all, [](const auto& change) { return is_beside_training(change.key); });
  return all;
}

void check_named(const Recipe& before, const Recipe& now, const std::vector<std::string>& overrides,
                 const std::string& folder) {
  std::set<std::string> named;
  for (const std::string& text : overrides) named.insert(key_of(text));
  std::vector<std::string> forgotten;
  for (const auto& [key, is, was] : changes(now, before))
    if (!named.contains(key) && !is_beside_training(key))
      forgotten.push_back(fmt::format("{} = {}, the recipe {}", key, was, is));
  if (forgotten.empty()) return;
  throw UsageError(
      fmt::format("the run in {} has {}{}", folder, forgotten.front(),
                  forgotten.size() > 1 ? fmt::format(", and {} more", forgotten.size() - 1) : ""),
      "each of them named on the command line, as it shall be",
      fmt::format("mgdm train {}/config.toml --resume goes on as the run was", folder));
}

void check_effects(const Recipe& recipe, const std::vector<std::string>& overrides) {
  const Choices choices = choices_of(recipe);
  std::set<std::string> keys;
  for (const std::string& text : overrides) {
    const std::string key = key_of(text);
    keys.insert(key);
    if (const auto missing = missing_for(key, choices))
      throw UsageError(fmt::format("{} changes nothing here", in_quotes(text)), *missing);
  }
  // The recipe was written for another kind, and its token weights with it.
  if (keys.contains("objective.kind") && !keys.contains("objective.reweight_tokens") &&
      objective_kind(recipe.objective.kind).decoder == decoding::Decoder::kLeftToRight &&
      recipe.objective.reweight_tokens)
    throw UsageError(fmt::format("objective.kind={} with the token weights of the recipe",
                                 recipe.objective.kind),
                     "objective.reweight_tokens=false, or true for the reweighted baseline");
}

}  // namespace mgdm::spec
