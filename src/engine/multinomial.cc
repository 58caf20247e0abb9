#include "engine/multinomial.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "base/interrupt.h"
#include "engine/orders.h"
#include "objectives/categories.h"
#include "objectives/noise.h"
#include "objectives/uniform_posterior.h"

namespace mgdm::engine {

Result decode_multinomial(const Network& network, std::int64_t vocabulary, const Batch& batch,
                          const spec::DecodingSettings& settings, const OnStep& on_step) {
  using namespace objectives;
  const at::NoGradGuard no_grad;
  const std::int64_t steps = settings.steps;                 // T
  const std::int64_t categories = vocabulary - kNoCategory;  // K
  const std::int64_t length = batch.tokens.size(1);          // N
  const at::Tensor diffused = batch.frozen.logical_not();    // (B, N)
  // x_T has the draws of the pass after the last, which needs none.
  at::Tensor tokens = at::where(
      diffused, token_of_category(below(draws(batch, settings.seed, steps, length), categories)),
      batch.tokens);
  at::Tensor forward_passes = at::zeros_like(batch.items);
  for (std::int64_t step = 0; step < steps; ++step) {
    stop_if_interrupted();
    const std::int64_t t = steps - 1 - step;
    const at::Tensor log_f = category_log_probs(network(tokens, batch.frozen));  // (B, N, K)
    at::Tensor preference = log_uniform_posterior(category_of_token(tokens), log_f,
                                                  at::full_like(batch.items, t), steps);
    if (t > 0)  // the Gumbel-max trick
      preference = preference + gumbel(draws(batch, settings.seed, step, length * categories))
                                    .view({-1, length, categories});
    const at::Tensor category = preference.argmax(-1);
    tokens = at::where(diffused, token_of_category(category), tokens);
    forward_passes += diffused.any(1);  // what is all given is not decoded
    const at::Tensor probability = log_f.gather(-1, category.unsqueeze(-1)).squeeze(-1).exp();
    if (on_step &&
        !on_step({step, forward_passes, tokens, probability.masked_fill(batch.frozen, 1)}))
      break;
  }
  return {tokens, forward_passes};
}

}  // namespace mgdm::engine
