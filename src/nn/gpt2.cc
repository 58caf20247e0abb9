#include "nn/gpt2.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <fmt/format.h>

#include <cmath>

#include "ops/attention.h"
#include "ops/layers.h"

namespace mgdm::nn {
namespace {

constexpr double kNormEps = 1e-5;

}  // namespace

Gpt2::Gpt2(const ModelSettings& settings, std::optional<std::uint64_t> seed)
    : Model(settings, seed),
      tokens_(parameters_.at("transformer.wte.weight")),
      positions_(parameters_.at("transformer.wpe.weight")),
      final_(norm_named("transformer.ln_f")) {
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    const std::string name = fmt::format("transformer.h.{}.", i);
    blocks_.push_back({norm_named(name + "ln_1"), linear_named(name + "attn.c_attn"),
                       linear_named(name + "attn.c_proj"), norm_named(name + "ln_2"),
                       linear_named(name + "mlp.c_fc"), linear_named(name + "mlp.c_proj")});
  }
  if (settings.vectors > 0) reader_.emplace(parameters_);
}

Norm Gpt2::norm_named(const std::string& name) const {
  return {parameters_.at(name + ".weight"), parameters_.at(name + ".bias"), kNormEps};
}

Gpt2::Linear Gpt2::linear_named(const std::string& name) const {
  return {parameters_.at(name + ".weight"), parameters_.at(name + ".bias")};
}

ops::AttentionForm Gpt2::attention_form(double dropout) const {
  const auto head_size = static_cast<double>(settings_.width / settings_.heads);
  return {.causal = settings_.causal, .scale = 1.0 / std::sqrt(head_size), .dropout = dropout};
}

ops::Mlp Gpt2::mlp_of(const Block& block) {
  return {.up = block.up.weight,
          .up_bias = block.up.bias,
          .down = block.down.weight,
          .down_bias = block.down.bias};
}

at::Tensor Gpt2::attend(const Block& block, const at::Tensor& x, double dropout,
                        ops::KeysAndValues* seen) const {
  return ops::attention_of(x, block.qkv.weight, block.qkv.bias, settings_.heads,
                           attention_form(dropout), seen);
}

at::Tensor Gpt2::attend_pairs(const at::Tensor& x, const at::Tensor& places) const {
  const Linear& linear = blocks_.front().qkv;
  const at::Tensor qkv = ops::linear(x, linear.weight, linear.bias);
  const std::int64_t size = settings_.width / settings_.heads;
  return ops::attention_at(qkv.view({-1, 3, settings_.heads, size}), places,
                           attention_form(/*dropout=*/0));
}

bool Gpt2::looks_up(const Input& input) const {
  constexpr std::int64_t kRowsOfAToken = 4;  // from so many on it is less work
  return !at::GradMode::is_enabled() && !input.training && !input.vectors.defined() &&
         !input.noise_level.defined() && input.tokens.size(0) >= kRowsOfAToken * tokens_.size(0) &&
         input.tokens.size(1) <= settings_.positions;
}

at::Tensor Gpt2::pairs(std::int64_t length) const {
  return (positions_.slice(0, 0, length).unsqueeze(1) + tokens_).flatten(0, 1);
}

at::Tensor Gpt2::places_of(const at::Tensor& tokens) const {
  return tokens + at::arange(tokens.size(1), tokens.options()) * tokens_.size(0);
}

Branch Gpt2::mlp(const Block& block, const at::Tensor& x) const {
  return ops::mlp_gelu(x, mlp_of(block));
}

void Gpt2::run(Residual& stream, double dropout, Cache* cache, const Input& input,
               const at::Tensor& places) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    ops::KeysAndValues* const seen = cache != nullptr ? &cache->layers[i] : nullptr;
    const at::Tensor x = stream.normed(block.norm_attention);
    at::Tensor mixed;
    if (!places.defined()) {
      mixed = attend(block, x, dropout, seen);
    } else if (i == 0) {
      mixed = attend_pairs(x, places).flatten(0, 1);
      stream.pick(places.reshape(-1));
    } else {
      mixed = attend(block, x.view({input.tokens.size(0), input.tokens.size(1), -1}), dropout, seen)
                  .flatten(0, 1);
    }
    if (input.wanted.defined() && i + 1 == blocks_.size()) {
      mixed = mixed.flatten(0, -2).index_select(0, input.wanted);
      stream.pick(input.wanted);
    }
    stream.add(ops::linear_branch(mixed, block.projection.weight, block.projection.bias));
    stream.add(mlp(block, stream.normed(block.norm_mlp)));
  }
}

Output Gpt2::forward(const Input& input) {
  const double dropout = input.training ? settings_.dropout : 0;
  Input shown = input;
  if (reader_) {
    shown.vectors = reader_->read(input, tokens_);
    shown.noise_level = at::Tensor();
    shown.wanted = at::Tensor();
  }
  const at::Tensor places = looks_up(shown) ? places_of(shown.tokens) : at::Tensor();
  Residual stream(places.defined() ? pairs(shown.tokens.size(1))
                                   : embed({tokens_, positions_}, shown, /*first=*/0, dropout),
                  dropout);
  run(stream, dropout, /*cache=*/nullptr, shown, places);
  at::Tensor hidden = stream.normed(final_);
  if (places.defined() && !shown.wanted.defined())
    hidden = hidden.view({shown.tokens.size(0), shown.tokens.size(1), -1});
  const Prediction prediction(hidden, tokens_, settings_.shift);
  if (reader_) return {{Prediction(prediction.logits() + reader_->evidence(input))}};
  return {{prediction}};
}

at::Tensor Gpt2::next_logits(const at::Tensor& tokens, Cache& cache) {
  if (!settings_.causal) return Model::next_logits(tokens, cache);
  cache.layers.resize(blocks_.size());
  Residual stream(embed({tokens_, positions_}, {.tokens = tokens}, cache.length), /*dropout=*/0);
  run(stream, /*dropout=*/0, &cache, {.tokens = tokens}, /*places=*/{});
  cache.length += tokens.size(1);
  return apply_head(stream.normed(final_).select(1, -1), tokens_);
}

std::optional<ops::Transformer> Gpt2::transformer(std::int64_t) const {
  if (reader_) return {};
  ops::Transformer network{.embedding = {tokens_, positions_, {}},
                           .layers = {},
                           .heads = settings_.heads,
                           .attention = attention_form(/*dropout=*/0),
                           .activation = ops::Transformer::Activation::kGelu,
                           .final_norm = final_,
                           .head = tokens_,
                           .shift = settings_.shift};
  for (const Block& block : blocks_)
    network.layers.push_back({.norm_attention = block.norm_attention,
                              .qkv = block.qkv.weight,
                              .qkv_bias = block.qkv.bias,
                              .projection = block.projection.weight,
                              .projection_bias = block.projection.bias,
                              .norm_mlp = block.norm_mlp,
                              .mlp = mlp_of(block)});
  return network;
}

// This bias is rounded too, because the product takes it so; the others are added in fp32.
void Gpt2::keep_matrices_in_bf16() {
  Model::keep_matrices_in_bf16();
  const at::NoGradGuard no_grad;
  for (Block& block : blocks_) block.qkv.bias.set_data(block.qkv.bias.to(at::kBFloat16));
}

}  // namespace mgdm::nn
