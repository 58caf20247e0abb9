#include "nn/looped.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <fmt/format.h>

#include <cmath>

#include "compat/norm.h"
#include "kernels/attention.h"
#include "kernels/cuda_kernels.h"
#include "nn/residual.h"

namespace mgdm::nn {
namespace {

constexpr double kEmbeddingStd = 0.5;
constexpr double kAttentionScale = 0.25;
constexpr double kNormEps = 1e-6;

const Norm kRms{{}, {}, kNormEps};

// Queries and keys (the first two of qkv (B, N, 3, H, D)) over their root mean square.
std::vector<at::Tensor> heads_of(const at::Tensor& qkv) {
  if (kernels::head_norm_takes(qkv)) return kernels::head_norm(qkv, kNormEps).unbind(2);
  std::vector<at::Tensor> parts = qkv.unbind(2);  // (B, N, H, D)
  for (const int i : {0, 1}) parts[i] = compat::rms_norm(parts[i], kNormEps);
  return parts;
}

// relu(x)^2 as a product: a power would leave bf16 for fp32 under autocast.
at::Tensor relu_squared(const at::Tensor& x) {
  if (kernels::relu_squared_takes(x)) return kernels::relu_squared(x);
  const at::Tensor positive = at::relu(x);
  return positive * positive;
}

}  // namespace

Looped::Looped(const ModelSettings& settings, std::optional<std::uint64_t> seed)
    : Model(settings, seed) {
  const std::int64_t width = settings.width;
  const double std = 0.5 / std::sqrt(static_cast<double>(width));
  tokens_ = parameters_.add("embed.tokens", {settings.vocabulary, width}, {kEmbeddingStd});
  positions_ = parameters_.add("embed.positions", {settings.positions, width}, {kEmbeddingStd});
  if (settings.frozen_embedding)
    frozen_ = parameters_.add("embed.frozen", {2, width}, {kEmbeddingStd});
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    const auto add = [&](const char* name, std::int64_t out, std::int64_t in, Init init) {
      return parameters_.add(fmt::format("blocks.{}.{}", i, name), {out, in}, init, Role::kMatrix);
    };
    blocks_.push_back({add("qkv", 3 * width, width, {std}), add("projection", width, width, {}),
                       add("up", 4 * width, width, {std}), add("down", width, 4 * width, {})});
  }
  head_ = parameters_.add("head", {settings.vocabulary, width}, {});
}

at::Tensor Looped::attend(const Block& block, const at::Tensor& x, at::Tensor* keys,
                          at::Tensor* values) const {
  const std::int64_t batch = x.size(0), length = x.size(1), width = settings_.width;
  const std::int64_t heads = settings_.heads;
  const std::vector<at::Tensor> qkv =
      heads_of(at::linear(x, block.qkv).view({batch, length, 3, heads, width / heads}));
  at::Tensor k = qkv[1].transpose(1, 2), v = qkv[2].transpose(1, 2);  // (B, H, N, D)
  extend(keys, k);
  extend(values, v);
  const at::Tensor mixed = kernels::attention(qkv[0].transpose(1, 2), k, v, settings_.causal,
                                              /*dropout=*/0, kAttentionScale)
                               .transpose(1, 2)
                               .reshape({batch, length, width});
  return at::linear(mixed, block.projection);
}

at::Tensor Looped::mlp(const Block& block, const at::Tensor& x) const {
  return at::linear(relu_squared(at::linear(x, block.up)), block.down);
}

void Looped::run_loop(std::int64_t loop, Residual& stream, Cache* cache) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::size_t place = static_cast<std::size_t>(loop) * blocks_.size() + i;
    at::Tensor* const keys = cache != nullptr ? &cache->keys[place] : nullptr;
    at::Tensor* const values = cache != nullptr ? &cache->values[place] : nullptr;
    stream.add(attend(blocks_[i], stream.normed(kRms), keys, values));
    stream.add(mlp(blocks_[i], stream.normed(kRms)));
  }
}

template <class AfterLoop>
void Looped::run(const at::Tensor& e, std::int64_t loops, Cache* cache, Wanted wanted,
                 AfterLoop&& after_loop) const {
  Residual stream(e, /*dropout=*/0);
  for (std::int64_t loop = 0; loop < loops; ++loop) {
    run_loop(loop, stream, cache);
    const bool last = loop + 1 == loops, want = last || wanted == Wanted::kEvery;
    at::Tensor normed;
    if (want || settings_.loop_norm) normed = stream.normed(kRms);
    if (want) after_loop(normed);
    if (last) break;
    if (settings_.loop_norm) {
      stream = Residual(e, /*dropout=*/0);
      stream.add(normed);
    } else {
      stream.add(e);
    }
  }
}

std::vector<at::Tensor> Looped::forward(const Input& input) {
  at::Tensor e = embed(tokens_, positions_, input.tokens, 0);
  if (frozen_.defined()) e = e + at::embedding(frozen_, input.frozen.to(at::kLong));
  std::vector<at::Tensor> logits;
  run(e, input.loops > 0 ? input.loops : settings_.loops, /*cache=*/nullptr,
      input.training ? Wanted::kEvery : Wanted::kLast,
      [&](const at::Tensor& normed) { logits.push_back(aligned(head(normed, head_))); });
  return logits;
}

at::Tensor Looped::next_logits(const at::Tensor& tokens, Cache& cache) {
  if (!settings_.causal) return Model::next_logits(tokens, cache);
  // Every loop has keys and values of its own.
  const auto depth = static_cast<std::size_t>(settings_.loops) * blocks_.size();
  cache.keys.resize(depth);
  cache.values.resize(depth);
  const at::Tensor e = embed(tokens_, positions_, tokens, cache.length);
  at::Tensor logits;
  run(e, settings_.loops, &cache, Wanted::kLast,
      [&](const at::Tensor& normed) { logits = head(normed.select(1, -1), head_); });
  cache.length += tokens.size(1);
  return logits;
}

}  // namespace mgdm::nn
