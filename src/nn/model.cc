#include "nn/model.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <fmt/format.h>

#include "base/error.h"
#include "compat/device.h"
#include "nn/gpt2.h"
#include "nn/looped.h"

namespace mgdm::nn {

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

at::Tensor Model::head(const at::Tensor& hidden, const at::Tensor& table) {
  const compat::FullPrecision full(table.device());
  return at::linear(hidden.to(table.scalar_type()), table);
}

at::Tensor Model::aligned(const at::Tensor& logits) const {
  if (!settings_.shift) return logits;
  return at::cat({logits.slice(1, 0, 1), logits.slice(1, 0, -1)}, 1);
}

std::unique_ptr<Model> make_model(const ModelSettings& settings,
                                  std::optional<std::uint64_t> seed) {
  spec::check(settings);
  if (settings.architecture == "gpt2") return std::make_unique<Gpt2>(settings, seed);
  return std::make_unique<Looped>(settings, seed);
}

}  // namespace mgdm::nn
