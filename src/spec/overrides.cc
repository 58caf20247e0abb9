#include "spec/overrides.h"

#include <fmt/format.h>

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

}  // namespace

void check_effects(const Recipe& recipe, const std::vector<std::string>& overrides) {
  const Choices choices = choices_of(recipe);
  std::set<std::string> keys;
  for (const std::string& text : overrides) {
    const std::string key(trim(std::string_view(text).substr(0, text.find('='))));
    keys.insert(key);
    if (const auto missing = missing_for(key, choices))
      throw UsageError(fmt::format("{} changes nothing here", in_quotes(text)), *missing);
  }
  // The recipe was written for another kind, and its token weights with it.
  if (keys.contains("objective.kind") && !keys.contains("objective.reweight_tokens") &&
      objective_kind(recipe.objective.kind).decoder == Decoder::kLeftToRight &&
      recipe.objective.reweight_tokens)
    throw UsageError(fmt::format("objective.kind={} with the token weights of the recipe",
                                 recipe.objective.kind),
                     "objective.reweight_tokens=false, or true for the reweighted baseline");
}

}  // namespace mgdm::spec
