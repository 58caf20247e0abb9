#include "engine/diffusion.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "base/interrupt.h"
#include "data/vocabulary.h"
#include "engine/orders.h"

namespace mgdm::engine {
namespace {

// Logits (B, N, V) of the rows still being decoded; zeros elsewhere.
at::Tensor logits_of(const at::Tensor& rows, const Network& network, const at::Tensor& tokens,
                     const at::Tensor& frozen) {
  if (rows.size(0) == tokens.size(0)) return network(tokens, frozen);
  const at::Tensor logits = network(tokens.index_select(0, rows), frozen.index_select(0, rows));
  return at::zeros({tokens.size(0), logits.size(1), logits.size(2)}, logits.options())
      .index_copy(0, rows, logits);
}

// The predicted tokens (B, N): the likeliest ones, or samples. Fills in pass.score and pass.draws.
at::Tensor predict(Pass& pass, const Batch& batch, int step,
                   const spec::DecodingSettings& settings) {
  at::Tensor preference = pass.log_probs;
  if (settings.stochastic()) {
    // Words 0..N-1 of an example's stream are for its positions, the next N V for its tokens.
    const std::int64_t length = preference.size(1), vocabulary = preference.size(2);
    const std::int64_t words = length * (settings.samples_tokens() ? 1 + vocabulary : 1);
    const at::Tensor drawn = draws(batch, settings.seed, step, words);
    pass.draws = drawn.slice(1, 0, length);
    if (settings.samples_tokens())  // argmax(l + T g) = argmax(l/T + g): the Gumbel-max trick
      preference = preference + settings.temperature *
                                    gumbel(drawn.slice(1, length)).view({-1, length, vocabulary});
  }
  const at::Tensor prediction = preference.argmax(-1);
  pass.score = pass.log_probs.gather(-1, prediction.unsqueeze(-1)).squeeze(-1);
  return prediction;
}

}  // namespace

Result decode(const Network& network, const Batch& batch, const spec::DecodingSettings& settings,
              const OnStep& on_step) {
  const at::NoGradGuard no_grad;
  const bool revise = settings.revise == "on";
  const bool masks_again =
      spec::order_kind(settings.order).by_score && (revise || settings.revise == "remask");
  const Order order = find_order(settings.order);

  const at::Tensor diffused = ~batch.frozen;                // (B, N)
  at::Tensor tokens = all_masked(batch);                    // (B, N)
  at::Tensor confidence = batch.frozen.to(at::kFloat);      // (B, N)
  at::Tensor active = diffused.any(1);                      // (B)
  at::Tensor forward_passes = at::zeros_like(batch.items);  // (B)
  at::Tensor previous;                                      // (B, N), the last pass's answer

  at::Tensor rows = active.nonzero().squeeze(1);  // the active ones
  for (int step = 0; step < settings.steps && rows.size(0) > 0; ++step) {
    stop_if_interrupted();
    Pass pass;
    pass.t = settings.steps - 1 - step;
    pass.log_probs = answer_log_probs(logits_of(rows, network, tokens, batch.frozen));
    forward_passes += active;
    const at::Tensor prediction = predict(pass, batch, step, settings);

    pass.diffused = diffused;
    pass.masked = diffused & (tokens == data::kMask);
    pass.eligible = masks_again ? diffused : pass.masked;
    const at::Tensor predicted = revise ? diffused : pass.masked;
    const at::Tensor answer = at::where(predicted, prediction, tokens);
    at::Tensor mask = pass.t == 0 ? at::zeros_like(pass.masked) : order(pass, settings);

    at::Tensor finished = ~active;
    if (settings.early_stop && previous.defined()) {
      const at::Tensor sure = (pass.score.exp() > settings.threshold) | ~predicted;
      finished = finished | ((answer == previous).all(1) & sure.all(1));
    }
    previous = answer;
    mask = mask & ~finished.unsqueeze(1);
    const at::Tensor changing = active.unsqueeze(1);
    tokens = at::where(changing, answer.masked_fill(mask, data::kMask), tokens);
    confidence = at::where(changing & predicted, pass.score.exp(), confidence);
    if (settings.early_stop || !masks_again) {
      active = masks_again ? ~finished : mask.any(1);
      rows = active.nonzero().squeeze(1);
    }

    if (on_step && !on_step({step, forward_passes, tokens, confidence})) break;
  }
  return {tokens, forward_passes};
}

}  // namespace mgdm::engine
