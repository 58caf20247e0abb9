#include "engine/ancestral.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/full.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "base/error.h"
#include "base/interrupt.h"
#include "compat/device.h"
#include "engine/network.h"
#include "nn/noised_vectors.h"
#include "objectives/vdm_schedule.h"
#include "ops/draws.h"

namespace mgdm::engine {
namespace {

// Normal numbers (B, N, D) of a pass.
at::Tensor normal_draws(const Batch& batch, std::int64_t seed, std::int64_t pass,
                        std::int64_t length, std::int64_t size) {
  const std::int64_t count = length * size, even = count + count % 2;
  return ops::normal_of(draws(batch, seed, pass, even)).slice(1, 0, count).view({-1, length, size});
}

// One step back in time, from the level gamma_t (1) to gamma_s (1).
at::Tensor earlier(const at::Tensor& z, const at::Tensor& x_hat, const at::Tensor& gamma_t,
                   const at::Tensor& gamma_s, const at::Tensor& eps) {
  const at::Tensor c = -at::expm1(gamma_s - gamma_t);
  return nn::signal(gamma_s) * ((1 - c) / nn::signal(gamma_t) * z + c * x_hat) +
         nn::noise(gamma_s) * c.sqrt() * eps;
}

}  // namespace

Result decode_ancestral(nn::Model& model, const Batch& batch,
                        const spec::DecodingSettings& settings, const OnStep& on_step, bool bf16) {
  MGDM_CHECK(model.settings().vectors > 0);
  const at::NoGradGuard no_grad;
  const std::int64_t steps = settings.steps, length = batch.tokens.size(1);
  const std::int64_t size = model.settings().vectors;  // D
  const at::Tensor rows = nn::unit_rows(model.parameters().at("transformer.vdm.tokens"));
  const objectives::NoiseSchedule schedule(model.parameters());
  const auto gamma_of = [&](std::int64_t step) {
    const double t =
        1 - static_cast<double>(step) / static_cast<double>(std::max<std::int64_t>(1, steps - 1));
    return schedule.at(at::full({1}, t, rows.options())).gamma;
  };

  const at::Tensor diffused = batch.frozen.logical_not();  // (B, N)
  at::Tensor tokens = all_masked(batch);
  const at::Tensor given = tokens;
  at::Tensor forward_passes = at::zeros_like(batch.items);
  // z_1 has the draws of the pass after the last, which needs none.
  at::Tensor z = normal_draws(batch, settings.seed, steps, length, size);
  at::Tensor x_hat = at::zeros_like(z);
  for (std::int64_t step = 0; step < steps; ++step) {
    stop_if_interrupted();
    const at::Tensor gamma = gamma_of(step);
    at::Tensor logits;
    {
      const compat::Autocast autocast(model.device(), bf16);
      logits = model
                   .forward({.tokens = given,
                             .frozen = batch.frozen,
                             .vectors = z,
                             .noise_level = gamma.expand({z.size(0)}),
                             .guess = x_hat})
                   .last()
                   .logits();
    }
    x_hat = nn::expected_vectors(logits, rows);
    const auto [score, prediction] = answer_log_probs(logits).max(-1);  // (B, N)
    tokens = at::where(diffused, prediction, given);
    forward_passes += diffused.any(1);  // what is all given is not decoded
    if (on_step &&
        !on_step({step, forward_passes, tokens, score.exp().masked_fill(batch.frozen, 1)}))
      break;
    if (step + 1 < steps)
      z = earlier(z, x_hat, gamma, gamma_of(step + 1),
                  normal_draws(batch, settings.seed, step, length, size));
  }
  return {tokens, forward_passes};
}

}  // namespace mgdm::engine
