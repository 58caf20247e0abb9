#include "spec/objective_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "data/vocabulary.h"
#include "spec/kinds.h"

namespace mgdm::spec {
namespace {

bool masks(const ObjectiveSettings& settings) {
  return objective_kind(settings.kind).noise == Noise::kMask;
}

// Whether the kind reads a setting at all.
bool reads(const ObjectiveSettings& settings, std::string_view key) {
  const Keys& keys = objective_kind(settings.kind).reads;
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// A kind has some weights by definition.
ObjectiveSettings by_definition(ObjectiveSettings settings) {
  if (const auto weight = objective_kind(settings.kind).sequence_weight; !weight.empty())
    settings.sequence_weight = weight;
  if (!reads(settings, "objective.reweight_tokens")) settings.reweight_tokens = false;
  return settings;
}

void check(const ObjectiveSettings& settings) {
  if (settings.coupled && !reads(settings, "objective.coupled"))
    throw UsageError(fmt::format("coupled noise levels with kind {}", in_quotes(settings.kind)),
                     "kind = \"rdm\" with coupled = true");
  if (settings.shown_noise > 0 && !settings.train_shown)
    throw UsageError(fmt::format("shown_noise {} without train_shown", settings.shown_noise),
                     "train_shown = true: nothing else learns to mend a wrong shown token");
  if (settings.train_shown && !masks(settings))
    throw UsageError(fmt::format("train_shown with kind {}", in_quotes(settings.kind)),
                     "kind mgdm, rdm or d3pm_absorbing: the others mask nothing");
  if (settings.full_mask > 0 && (!masks(settings) || settings.coupled))
    throw UsageError(
        fmt::format("full_mask {} with kind {}{}", settings.full_mask, in_quotes(settings.kind),
                    settings.coupled ? " and coupled noise levels" : ""),
        "kind mgdm, rdm or d3pm_absorbing, with one noise level for every example");
  if (settings.label_smoothing > 0 && !reads(settings, "objective.label_smoothing"))
    throw UsageError(fmt::format("label_smoothing with kind {}", in_quotes(settings.kind)),
                     "label_smoothing = 0: its loss is a divergence, not a cross entropy");
  if (settings.self_condition > 0 && !reads(settings, "objective.self_condition"))
    throw UsageError(fmt::format("self_condition with kind {}", in_quotes(settings.kind)),
                     "kind = \"vdm\": the others show tokens, not vectors");
  if (settings.vocabulary <= data::kSpecialTokens)
    throw UsageError(fmt::format("a vocabulary of {} tokens", settings.vocabulary),
                     fmt::format("more than the {} special ones", data::kSpecialTokens));
}

}  // namespace

void ObjectiveSettings::visit(config::Visitor& v) {
  using config::one_of, config::range;
  v.field("kind", kind, config::help_of(objective_kinds()),
          one_of(config::names_of(objective_kinds())));
  v.field("steps", steps, "number of noise levels T", range(1, 100000));
  v.field(
      "full_mask", full_mask,
      "mgdm, rdm, d3pm_absorbing: fraction of the examples that are fully masked (t = T-1); the "
      "others draw t at random",
      range(0, 1));
  v.field("sequence_weight", sequence_weight,
          "mgdm: weight of a noise level t: 1, 1/(t+1), or T-t (rdm: linear, d3pm: original)",
          one_of({"none", "original", "linear"}));
  v.field("reweight_tokens", reweight_tokens,
          "mgdm and ar: weight each token by alpha (1 - exp(-CE))^beta");
  v.field("alpha", alpha, "factor of the token weight", config::at_least(0));
  v.field(
      "beta", beta,
      "exponent of the token weight, at least 1: below, the gradient of a certain token would be "
      "infinite (reweight_tokens=false turns the weight off)",
      range(1, 10));
  v.field("train_shown", train_shown, "also predict the output tokens that are not masked");
  v.field("shown_noise", shown_noise,
          "train_shown: fraction of the shown output tokens replaced by random tokens",
          range(0, 1));
  v.field("label_smoothing", label_smoothing, "fraction of the target spread over all tokens",
          range(0, 0.99));
  v.field("coupled", coupled, "rdm: train on two coupled noise levels per example");
  v.field(
      "self_condition", self_condition,
      "vdm: fraction of the examples that show the network its own guess; 0 saves a quarter of the "
      "time",
      range(0, 1));
  v.field("loop_weights", loop_weights,
          "looped models: weight the loss of loop r by r (linear), equally (mean), or use the last "
          "only",
          one_of({"linear", "mean", "last"}));
}

ObjectiveSettings resolved(const ObjectiveSettings& asked) {
  ObjectiveSettings settings = by_definition(asked);
  check(settings);
  return settings;
}

}  // namespace mgdm::spec
