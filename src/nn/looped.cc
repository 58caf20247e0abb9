#include "nn/looped.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rsqrt.h>
#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "compat/attention.h"

namespace mgdm::nn {
namespace {

constexpr double kEmbeddingStd = 0.5;
constexpr double kAttentionScale = 0.25;
constexpr double kNormEps = 1e-6;

// x / sqrt(mean(x^2)) over the last dimension.
at::Tensor rms_norm(const at::Tensor& x) {
  return x * at::rsqrt(x.square().mean(-1, /*keepdim=*/true) + kNormEps);
}

}  // namespace

Looped::Looped(const ModelSettings& settings, std::uint64_t seed) : Model(settings, seed) {
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

at::Tensor Looped::run(const Block& block, const at::Tensor& x) const {
  const std::int64_t batch = x.size(0), length = x.size(1), width = settings_.width;
  const std::int64_t heads = settings_.heads, head_size = width / heads;
  const at::Tensor qkv = at::linear(rms_norm(x), block.qkv)
                             .view({batch, length, 3, heads, head_size})
                             .permute({2, 0, 3, 1, 4});  // (3, B, H, N, D)
  const at::Tensor mixed =
      compat::attention(rms_norm(qkv.select(0, 0)), rms_norm(qkv.select(0, 1)), qkv.select(0, 2),
                        /*causal=*/false, /*dropout=*/0, kAttentionScale)
          .transpose(1, 2)
          .reshape({batch, length, width});
  const at::Tensor y = x + at::linear(mixed, block.projection);
  return y + at::linear(at::relu(at::linear(rms_norm(y), block.up)).square(), block.down);
}

std::vector<at::Tensor> Looped::forward(const at::Tensor& tokens, const at::Tensor& frozen, bool) {
  const std::int64_t length = tokens.size(1);
  if (length > settings_.positions)
    throw Error(fmt::format("a sequence of {} tokens", length),
                fmt::format("at most {}, the length of this model", settings_.positions));
  at::Tensor e = at::embedding(tokens_, tokens) + positions_.slice(0, 0, length);
  if (frozen_.defined()) e = e + at::embedding(frozen_, frozen.to(at::kLong));
  std::vector<at::Tensor> logits;
  at::Tensor x = e;
  for (std::int64_t loop = 0; loop < settings_.loops; ++loop) {
    if (loop > 0) x = x + e;
    for (const Block& block : blocks_) x = run(block, x);
    logits.push_back(aligned(at::linear(rms_norm(x), head_)));
  }
  return logits;
}

}  // namespace mgdm::nn
