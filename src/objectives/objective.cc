#include "objectives/objective.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include "base/error.h"
#include "objectives/terms.h"
#include "ops/draws.h"
#include "ops/head_loss.h"
#include "spec/kinds.h"

namespace mgdm::objectives {

std::vector<Noised> Objective::noise(const Batch& batch, std::uint64_t seed) const {
  if (levels() == 1) return {noise_at(batch, seed, at::zeros_like(batch.items))};
  // The first number of an example is for its level, the second for whether that is the highest.
  const bool full = settings_.full_mask > 0;
  const at::Tensor u =
      ops::uniform(seed, Purpose::kTimestep, batch.items, batch.step, full ? 2 : 1);
  at::Tensor t = below(u.select(1, 0), levels());
  if (full) t = t.masked_fill(u.select(1, 1) < settings_.full_mask, levels() - 1);
  return {noise_at(batch, seed, t)};
}

nn::Input Objective::shown(const Batch& batch, const Noised& noised, const Guess&) const {
  return {.tokens = noised.input, .frozen = batch.frozen};
}

at::Tensor Objective::token_loss(const nn::Prediction& prediction, const Batch& batch,
                                 const Noised&) const {
  const at::Tensor cross_entropy =
      token_cross_entropy(prediction.logits(), batch.tokens, settings_.label_smoothing);
  if (!settings_.reweight_tokens) return cross_entropy;
  return token_weight(cross_entropy, settings_.alpha, settings_.beta) * cross_entropy;
}

std::optional<at::Tensor> Objective::fused_loss(std::span<const nn::Prediction> loops,
                                                const std::vector<double>& factors,
                                                const Batch& batch, const Noised& noised) const {
  ops::HiddenStates states{{}, factors, loops.front().head(), loops.front().shift()};
  for (const nn::Prediction& prediction : loops) states.loops.push_back(prediction.hidden());
  return ops::head_loss(states, batch.tokens, noised.weight,
                        {.reweight = settings_.reweight_tokens,
                         .alpha = settings_.alpha,
                         .beta = settings_.beta,
                         .label_smoothing = settings_.label_smoothing});
}

LossSum Objective::loss(const nn::Output& output, const Batch& batch, const Noised& noised) const {
  MGDM_CHECK(!output.predictions.empty());
  // The loops that count, and how much.
  std::span<const nn::Prediction> loops(output.predictions);
  if (settings_.loop_weights == "last") loops = loops.last(1);
  std::vector<double> factors;
  const auto count = static_cast<double>(loops.size());  // R
  for (std::size_t i = 0; i < loops.size(); ++i)
    factors.push_back(settings_.loop_weights == "mean"
                          ? 1 / count
                          : 2 * static_cast<double>(i + 1) / (count * (count + 1)));

  std::optional<at::Tensor> sum;
  if (is_cross_entropy()) sum = fused_loss(loops, factors, batch, noised);
  if (!sum)
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const at::Tensor part =
          (noised.weight * token_loss(loops[i], batch, noised)).sum() * factors[i];
      sum = sum ? *sum + part : part;
    }
  return {*sum, noised.counted.sum().to(at::kFloat)};
}

std::unique_ptr<Objective> make_objective(const Settings& asked, const nn::Parameters* parameters) {
  const Settings settings = spec::resolved(asked);
  switch (spec::objective_kind(settings.kind).noise) {
    case spec::Noise::kNone:
      return make_autoregressive(settings);
    case spec::Noise::kHidden:
      return make_teacherless(settings);
    case spec::Noise::kMask:
      return make_absorbing(settings);
    case spec::Noise::kUniform:
      return make_uniform(settings);
    case spec::Noise::kGaussian:
      return make_vdm(settings, parameters);
  }
  check_failed("a known noise", __FILE__, __LINE__);
}

}  // namespace mgdm::objectives
