#include "nn/gpt2.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <fmt/format.h>

#include <cmath>

#include "kernels/attention.h"
#include "kernels/elementwise.h"

namespace mgdm::nn {
namespace {

constexpr double kInitStd = 0.02;
constexpr double kNormEps = 1e-5;

}  // namespace

Gpt2::Gpt2(const ModelSettings& settings, std::optional<std::uint64_t> seed)
    : Model(settings, seed) {
  const std::int64_t width = settings.width;
  // Residual outputs start smaller the more of them add up: 0.02 / sqrt(2 layers).
  const double residual_std = kInitStd / std::sqrt(2.0 * static_cast<double>(settings.layers));
  tokens_ = parameters_.add("transformer.wte.weight", {settings.vocabulary, width}, {kInitStd});
  positions_ = parameters_.add("transformer.wpe.weight", {settings.positions, width}, {kInitStd});
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    const std::string name = fmt::format("transformer.h.{}.", i);
    Block block;
    block.norm_attention = add_norm(name + "ln_1");
    block.qkv = add_linear(name + "attn.c_attn", width, 3 * width, kInitStd);
    block.projection = add_linear(name + "attn.c_proj", width, width, residual_std);
    block.norm_mlp = add_norm(name + "ln_2");
    block.up = add_linear(name + "mlp.c_fc", width, 4 * width, kInitStd);
    block.down = add_linear(name + "mlp.c_proj", 4 * width, width, residual_std);
    blocks_.push_back(std::move(block));
  }
  final_ = add_norm("transformer.ln_f");
}

Norm Gpt2::add_norm(const std::string& name) {
  const std::int64_t width = settings_.width;
  return {parameters_.add(name + ".weight", {width}, {.constant = 1}),
          parameters_.add(name + ".bias", {width}, {}), kNormEps};
}

Gpt2::Linear Gpt2::add_linear(const std::string& name, std::int64_t in, std::int64_t out,
                              double std) {
  return {parameters_.add(name + ".weight", {out, in}, {std}, Role::kMatrix),
          parameters_.add(name + ".bias", {out}, {})};
}

at::Tensor Gpt2::attend(const Block& block, const at::Tensor& x, double dropout, at::Tensor* keys,
                        at::Tensor* values) const {
  const std::int64_t batch = x.size(0), length = x.size(1), width = settings_.width;
  const std::int64_t heads = settings_.heads, head_size = width / heads;
  // (B, N, 3C) -> three of (B, N, H, D). Unbound, not selected one by one, and before anything
  // changes places: the gradients are then stacked once, in the order of x.
  const std::vector<at::Tensor> qkv = at::linear(x, block.qkv.weight, block.qkv.bias)
                                          .view({batch, length, 3, heads, head_size})
                                          .unbind(2);
  const at::Tensor q = qkv[0].transpose(1, 2);  // (B, H, N, D)
  at::Tensor k = qkv[1].transpose(1, 2), v = qkv[2].transpose(1, 2);
  extend(keys, k);
  extend(values, v);
  const at::Tensor mixed = kernels::attention(q, k, v, settings_.causal, dropout,
                                              1.0 / std::sqrt(static_cast<double>(head_size)))
                               .transpose(1, 2)
                               .reshape({batch, length, width});
  return at::linear(mixed, block.projection.weight, block.projection.bias);
}

at::Tensor Gpt2::mlp(const Block& block, const at::Tensor& x) const {
  const at::Tensor hidden = kernels::gelu(at::linear(x, block.up.weight, block.up.bias));
  return at::linear(hidden, block.down.weight, block.down.bias);
}

void Gpt2::run(Residual& stream, double dropout, Cache* cache) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    at::Tensor* const keys = cache != nullptr ? &cache->keys[i] : nullptr;
    at::Tensor* const values = cache != nullptr ? &cache->values[i] : nullptr;
    stream.add(attend(block, stream.normed(block.norm_attention), dropout, keys, values));
    stream.add(mlp(block, stream.normed(block.norm_mlp)));
  }
}

std::vector<at::Tensor> Gpt2::forward(const Input& input) {
  const double dropout = input.training ? settings_.dropout : 0;
  Residual stream(kernels::dropout(embed(tokens_, positions_, input.tokens, 0), dropout), dropout);
  run(stream, dropout, /*cache=*/nullptr);
  return {aligned(head(stream.normed(final_), tokens_))};
}

at::Tensor Gpt2::next_logits(const at::Tensor& tokens, Cache& cache) {
  if (!settings_.causal) return Model::next_logits(tokens, cache);
  cache.keys.resize(blocks_.size());
  cache.values.resize(blocks_.size());
  Residual stream(embed(tokens_, positions_, tokens, cache.length), /*dropout=*/0);
  run(stream, /*dropout=*/0, &cache);
  cache.length += tokens.size(1);
  return head(stream.normed(final_).select(1, -1), tokens_);
}

}  // namespace mgdm::nn
