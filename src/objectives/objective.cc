#include "objectives/objective.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "nn/draws.h"
#include "objectives/kinds.h"
#include "objectives/noise.h"

namespace mgdm::objectives {
namespace {

// What a kind is by definition (protocol of the paper's tables): D3PM is MGDM with the weight of
// the ELBO, RDM with the linear one, both without token weights.
Settings resolved(Settings settings) {
  if (settings.kind == "d3pm_absorbing") settings.sequence_weight = "original";
  if (settings.kind == "rdm") settings.sequence_weight = "linear";
  if (!reweights(settings.kind)) settings.reweight_tokens = false;
  return settings;
}

void check(const Settings& settings) {
  if (settings.coupled && settings.kind != "rdm")
    throw UsageError(fmt::format("coupled noise levels with kind {}", in_quotes(settings.kind)),
                     "kind = \"rdm\" with coupled = true");
  if (settings.shown_noise > 0 && !settings.train_shown)
    throw UsageError(fmt::format("shown_noise {} without train_shown", settings.shown_noise),
                     "train_shown = true: nothing else learns to mend a wrong shown token");
  if (settings.train_shown && !absorbs(settings.kind))
    throw UsageError(fmt::format("train_shown with kind {}", in_quotes(settings.kind)),
                     "kind mgdm, rdm or d3pm_absorbing: the others mask nothing");
  if (settings.full_mask > 0 && (!absorbs(settings.kind) || settings.coupled))
    throw UsageError(
        fmt::format("full_mask {} with kind {}{}", settings.full_mask, in_quotes(settings.kind),
                    settings.coupled ? " and coupled noise levels" : ""),
        "kind mgdm, rdm or d3pm_absorbing, with one noise level for every example");
  if (settings.label_smoothing > 0 && settings.kind == "d3pm_uniform")
    throw UsageError("label_smoothing with kind \"d3pm_uniform\"",
                     "label_smoothing = 0: its loss is a divergence, not a cross entropy");
  if (settings.vocabulary <= kFirstOrdinary)
    throw UsageError(fmt::format("a vocabulary of {} tokens", settings.vocabulary),
                     fmt::format("more than the {} special ones", kFirstOrdinary));
}

}  // namespace

bool absorbs(std::string_view kind) {
  return kind == "mgdm" || kind == "rdm" || kind == "d3pm_absorbing";
}

bool causal(std::string_view kind) { return kind == "ar" || kind == "teacherless"; }

bool reweights(std::string_view kind) { return kind == "mgdm" || kind == "ar"; }

std::vector<std::string> kinds() {
  return {"mgdm", "rdm", "d3pm_absorbing", "d3pm_uniform", "ar", "teacherless"};
}

void Settings::visit(config::Visitor& v) {
  using config::one_of, config::range;
  v.field("kind", kind, "what is minimised", one_of(kinds()));
  v.field("steps", steps, "noise levels T", range(1, 100000));
  v.field(
      "full_mask", full_mask,
      "mgdm, rdm, d3pm_absorbing: fraction of the examples that are fully masked (t = T-1); the "
      "others have a random t",
      range(0, 1));
  v.field("sequence_weight", sequence_weight,
          "mgdm: weight of a noise level t: 1, 1/(t+1), or T-t (rdm: linear, d3pm: original)",
          one_of({"none", "original", "linear"}));
  v.field("reweight_tokens", reweight_tokens,
          "mgdm and ar: weight each token by alpha (1 - exp(-CE))^beta");
  v.field("alpha", alpha, "factor of the token weight", config::at_least(0));
  v.field("beta", beta, "exponent of the token weight", range(1, 10));
  v.field("train_shown", train_shown, "predict the output tokens that are not masked, too");
  v.field("shown_noise", shown_noise,
          "train_shown: share of the shown output tokens replaced by random ones", range(0, 1));
  v.field("label_smoothing", label_smoothing, "share of the target spread over all tokens",
          range(0, 0.99));
  v.field("coupled", coupled, "rdm: two coupled noise levels for every example");
  v.field("loop_weights", loop_weights,
          "looped models: the loss of loop r weighs r, or only the last one counts",
          one_of({"linear", "last"}));
}

std::vector<Noised> Objective::noise(const Batch& batch, std::uint64_t seed) const {
  if (levels() == 1) return {noise_at(batch, seed, at::zeros_like(batch.items))};
  // The first number of an example is for its level, the second for whether that is the highest.
  const bool full = settings_.full_mask > 0;
  const at::Tensor u = nn::uniform(seed, Purpose::kTimestep, batch.items, batch.step, full ? 2 : 1);
  at::Tensor t = below(u.select(1, 0), levels());
  if (full) t = t.masked_fill(u.select(1, 1) < settings_.full_mask, levels() - 1);
  return {noise_at(batch, seed, t)};
}

at::Tensor Objective::token_loss(const Prediction& logits, const Batch& batch,
                                 const Noised&) const {
  const at::Tensor cross_entropy =
      token_cross_entropy(logits, batch.tokens, settings_.label_smoothing);
  if (!settings_.reweight_tokens) return cross_entropy;
  return token_weight(cross_entropy, settings_.alpha, settings_.beta) * cross_entropy;
}

LossSum Objective::loss(const std::vector<Prediction>& logits_per_loop, const Batch& batch,
                        const Noised& noised) const {
  MGDM_CHECK(!logits_per_loop.empty());
  const auto of_loop = [&](const Prediction& logits) {
    return (noised.weight * token_loss(logits, batch, noised)).sum();
  };
  const auto loops = static_cast<double>(logits_per_loop.size());  // R
  at::Tensor sum;
  if (settings_.loop_weights == "last") {
    sum = of_loop(logits_per_loop.back());
  } else {
    double r = 0;
    for (const Prediction& logits : logits_per_loop) {
      r += 1;
      const at::Tensor part = of_loop(logits) * (2 * r / (loops * (loops + 1)));
      sum = sum.defined() ? sum + part : part;
    }
  }
  return {sum, noised.counted.sum().to(at::kFloat)};
}

std::unique_ptr<Objective> make_objective(const Settings& asked) {
  const Settings settings = resolved(asked);
  check(settings);
  if (settings.kind == "ar") return make_autoregressive(settings);
  if (settings.kind == "teacherless") return make_teacherless(settings);
  if (settings.kind == "d3pm_uniform") return make_uniform(settings);
  if (absorbs(settings.kind)) return make_absorbing(settings);
  throw UsageError(fmt::format("unknown objective {}", in_quotes(settings.kind)),
                   joined_or(kinds()));
}

}  // namespace mgdm::objectives
