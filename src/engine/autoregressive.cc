#include "engine/autoregressive.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <tuple>

#include "base/error.h"
#include "base/interrupt.h"
#include "compat/device.h"
#include "data/vocabulary.h"
#include "engine/network.h"

namespace mgdm::engine {

Result decode_autoregressive(nn::Model& model, const Batch& batch, const OnStep& on_step, bool bf16,
                             bool cached) {
  const at::NoGradGuard no_grad;
  const compat::Autocast autocast(model.device(), bf16);
  const std::int64_t pad = batch.specials.pad, eos = batch.specials.eos, mask = batch.specials.mask;
  at::Tensor tokens = all_masked(batch);                      // (B, N)
  at::Tensor confidence = batch.frozen.to(at::kFloat);        // (B, N)
  at::Tensor forward_passes = at::zeros_like(batch.items);    // (B)
  at::Tensor ended = at::zeros_like(batch.items, at::kBool);  // (B)
  const std::int64_t length = tokens.size(1);
  if (tokens.size(0) == 0) return {tokens, forward_passes};

  // What is frozen in every example is read at once.
  const std::int64_t first =
      batch.frozen.all(0).to(at::kLong).cumprod(0).sum().item<std::int64_t>();
  if (first == 0)
    throw Error("the first token is to be predicted, with nothing before it",
                "an input before the answer", "layout = \"seq2seq\" for autoregressive models");
  nn::Cache cache;
  std::int64_t pass = 0;
  for (std::int64_t n = first; n < length && !ended.all().item<bool>(); ++n) {
    stop_if_interrupted();
    if (!cached) cache = {};
    const at::Tensor unread = tokens.slice(1, cache.length, n);
    const at::Tensor log_probs =
        answer_log_probs(model.next_logits(unread, cache), batch.specials);  // (B, V)
    const auto [score, prediction] = log_probs.max(-1);                      // (B)
    const at::Tensor free = ~batch.frozen.select(1, n);
    const at::Tensor predicted = free & ~ended;
    const at::Tensor after_end = free & ended;
    tokens.select(1, n).copy_(
        at::where(predicted, prediction, tokens.select(1, n)).masked_fill(after_end, pad));
    confidence.select(1, n).copy_(
        at::where(predicted, score.exp(), confidence.select(1, n)).masked_fill(after_end, 1));
    forward_passes += predicted;
    ended = ended | (predicted & (prediction == eos));
    if (on_step && !on_step({pass++, forward_passes, tokens.clone(), confidence.clone()}))
      return {tokens, forward_passes};
  }
  // Everything was predicted, or every example has ended.
  tokens = tokens.masked_fill(~batch.frozen & (tokens == mask), pad);
  return {tokens, forward_passes};
}

}  // namespace mgdm::engine
