#include "cli/overrides.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::cli {
namespace {

// A key that counts only under a condition. One that ends in '.' is a whole section.
struct Condition {
  std::string key;
  bool holds;
  std::string needs;
};

std::vector<Condition> conditions(const Recipe& recipe) {
  const std::string& kind = recipe.objective.kind;
  const bool reweights = objectives::reweights(kind);
  const bool looped = recipe.model.architecture == "looped";
  const bool muon = recipe.optimizer.optimizer == "muon";
  return {
      {"objective.steps", !objectives::causal(kind), "an objective.kind with noise levels"},
      {"objective.sequence_weight", kind == "mgdm", "objective.kind=mgdm"},
      {"objective.reweight_tokens", reweights, "objective.kind=mgdm or ar"},
      {"objective.alpha", reweights && recipe.objective.reweight_tokens,
       "objective.reweight_tokens=true, and objective.kind=mgdm or ar"},
      {"objective.beta", reweights && recipe.objective.reweight_tokens,
       "objective.reweight_tokens=true, and objective.kind=mgdm or ar"},
      {"objective.loop_weights", looped, "model.architecture=looped"},
      {"model.loops", looped, "model.architecture=looped"},
      {"model.loop_norm", looped, "model.architecture=looped"},
      {"training.fewest_loops", looped, "model.architecture=looped"},
      {"decoding.loops", looped, "model.architecture=looped"},
      {"model.dropout", !looped || recipe.model.dropout == 0, "model.architecture=gpt2"},
      {"optimizer.muon_lr", muon, "optimizer.optimizer=muon"},
      {"optimizer.momentum", muon, "optimizer.optimizer=muon"},
      {"optimizer.decay_share", recipe.optimizer.schedule == "linear", "optimizer.schedule=linear"},
      {"decoding.", kind != "ar", "a model that does not answer left to right"},
  };
}

}  // namespace

void check_effects(const Recipe& recipe, const std::vector<std::string>& overrides) {
  const std::vector<Condition> all = conditions(recipe);
  for (const std::string& text : overrides) {
    const std::string key(trim(std::string_view(text).substr(0, text.find('='))));
    for (const Condition& condition : all)
      if (!condition.holds &&
          (condition.key.ends_with('.') ? key.starts_with(condition.key) : key == condition.key))
        throw UsageError(fmt::format("{} changes nothing here", in_quotes(text)), condition.needs);
  }
}

}  // namespace mgdm::cli
