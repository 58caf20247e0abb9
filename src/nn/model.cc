#include "nn/model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <fmt/format.h>

#include "base/error.h"
#include "nn/gpt2.h"
#include "nn/looped.h"

namespace mgdm::nn {

void ModelSettings::visit(config::Visitor& v) {
  using config::range;
  v.field("architecture", architecture, "the network", config::one_of({"gpt2", "looped"}));
  v.field("layers", layers, "transformer blocks (shared by all loops)", range(1, 200));
  v.field("heads", heads, "attention heads", range(1, 256));
  v.field("width", width, "size of the hidden state", range(1, 65536));
  v.field("positions", positions, "longest sequence", range(1, 65536));
  v.field("loops", loops, "looped: how often the blocks are applied", range(1, 256));
  v.field("dropout", dropout, "gpt2: share of activations dropped in training", range(0, 0.95));
  v.field("causal", causal, "a position sees only those before it (autoregressive models)");
  v.field("shift", shift, "position n is predicted from hidden state n-1");
  v.field("frozen_embedding", frozen_embedding,
          "looped: tell the network which positions are given (in_place layout)");
  v.field("loop_norm", loop_norm,
          "looped: normalise the stream before every loop but the first, so that more loops can be "
          "added when decoding");
  v.field("vocabulary", vocabulary, "number of tokens", range(6, 256));
}

void extend(at::Tensor* seen, at::Tensor& now) {
  if (seen == nullptr) return;
  if (seen->defined()) now = at::cat({*seen, now}, 2);
  *seen = now;
}

at::Tensor Model::next_logits(const at::Tensor&, Cache&) {
  throw Error("this model sees all positions and cannot decode token by token", "a causal one");
}

at::Tensor Model::embed(const at::Tensor& token_table, const at::Tensor& position_table,
                        const at::Tensor& tokens, std::int64_t first) const {
  const std::int64_t end = first + tokens.size(1);
  if (end > settings_.positions)
    throw Error(fmt::format("a sequence of {} tokens", end),
                fmt::format("at most {}, the length of this model", settings_.positions));
  return at::embedding(token_table, tokens) + position_table.slice(0, first, end);
}

at::Tensor Model::aligned(const at::Tensor& logits) const {
  if (!settings_.shift) return logits;
  return at::cat({logits.slice(1, 0, 1), logits.slice(1, 0, -1)}, 1);
}

std::unique_ptr<Model> make_model(const ModelSettings& settings,
                                  std::optional<std::uint64_t> seed) {
  if (settings.width % settings.heads != 0)
    throw UsageError(fmt::format("width {} and heads {}", settings.width, settings.heads),
                     "a width that is a multiple of heads");
  if (settings.causal && !settings.shift)
    throw UsageError("a causal model without shift would be shown the token it predicts",
                     "shift = true with causal = true");
  if (settings.architecture == "gpt2" && settings.frozen_embedding)
    throw UsageError("architecture gpt2 with frozen_embedding", "frozen_embedding = false");
  if (settings.architecture == "gpt2") return std::make_unique<Gpt2>(settings, seed);
  if (settings.causal && settings.frozen_embedding)
    throw UsageError("a causal model with frozen_embedding",
                     "frozen_embedding = false: a causal model reads what is given first");
  return std::make_unique<Looped>(settings, seed);
}

}  // namespace mgdm::nn
