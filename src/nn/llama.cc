#include "nn/llama.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/silu.h>
#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "compat/device.h"
#include "compat/operations.h"
#include "nn/recompute.h"
#include "ops/residual_norm.h"

namespace mgdm::nn {
namespace {

// Mixed precision rounds x to what a bf16 weight is; without it the weight is widened, for the
// length of the product.
at::Tensor product(const at::Tensor& x, const at::Tensor& weight) {
  const bool widen = weight.scalar_type() != x.scalar_type() && !compat::autocasts(x.device());
  return at::linear(x, widen ? weight.to(x.scalar_type()) : weight);
}

// x (..., I) -> x W^T + scale (dropout(x) A^T) B^T, (..., O).
at::Tensor project(const at::Tensor& x, const Projection& projection, double dropout) {
  const at::Tensor y = product(x, projection.weight);
  if (!projection.down.defined()) return y;
  const at::Tensor inner = at::linear(ops::dropout(x, dropout), projection.down);
  return y + at::linear(inner, projection.up) * projection.scale;
}

ops::RopeForm rope_form(const ModelSettings& settings) {
  using Scaling = ops::RopeForm::Scaling;
  const spec::LlamaSettings& llama = settings.llama;
  ops::RopeForm form{.size = settings.head_size(),
                     .theta = llama.rope_theta,
                     .scaling = Scaling::kNone,
                     .factor = llama.rope_factor,
                     .low_frequency = llama.rope_low_frequency,
                     .high_frequency = llama.rope_high_frequency,
                     .original_positions = static_cast<double>(llama.rope_original_positions)};
  if (llama.rope_scaling == "linear") form.scaling = Scaling::kLinear;
  if (llama.rope_scaling == "llama3") form.scaling = Scaling::kLlama3;
  return form;
}

// Keys or values (B, G, M, D) for each of H query heads: (B, H, M, D).
at::Tensor for_each_head(const at::Tensor& x, std::int64_t heads) {
  const std::int64_t groups = x.size(1);
  if (groups == heads) return x;
  return x.unsqueeze(2)
      .expand({x.size(0), groups, heads / groups, x.size(2), x.size(3)})
      .reshape({x.size(0), heads, x.size(2), x.size(3)});
}

}  // namespace

Llama::Llama(const ModelSettings& settings, std::optional<std::uint64_t> seed, Drawn drawn)
    : Model(settings, seed, drawn),
      rope_(rope_form(settings)),
      tokens_(parameters_.at("model.embed_tokens.weight")),
      norm_(parameters_.at("model.norm.weight")),
      head_(settings.llama.tied_head ? tokens_ : parameters_.at("lm_head.weight")) {
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    const std::string name = fmt::format("model.layers.{}.", i);
    Block& block = blocks_.emplace_back();
    block.norm_attention = norm_named(name + "input_layernorm", block);
    block.norm_mlp = norm_named(name + "post_attention_layernorm", block);
    block.q = projection_named(name + "self_attn.q_proj", block);
    block.k = projection_named(name + "self_attn.k_proj", block);
    block.v = projection_named(name + "self_attn.v_proj", block);
    block.o = projection_named(name + "self_attn.o_proj", block);
    block.gate = projection_named(name + "mlp.gate_proj", block);
    block.up = projection_named(name + "mlp.up_proj", block);
    block.down = projection_named(name + "mlp.down_proj", block);
  }
}

at::Tensor Llama::norm_named(const std::string& name, Block& block) const {
  const at::Tensor weight = parameters_.at(name + ".weight");
  if (weight.requires_grad()) block.trained.push_back(weight);
  return weight;
}

Projection Llama::projection_named(const std::string& name, Block& block) const {
  Projection projection{parameters_.at(name + ".weight"), {}, {}};
  if (const std::int64_t rank = settings_.lora.rank; rank > 0) {
    projection.down = parameters_.at(name + ".lora_A.weight");
    projection.up = parameters_.at(name + ".lora_B.weight");
    projection.scale = settings_.lora.alpha / static_cast<double>(rank);
  }
  for (const at::Tensor& each : {projection.weight, projection.down, projection.up})
    if (each.defined() && each.requires_grad()) block.trained.push_back(each);
  return projection;
}

at::Tensor Llama::embed_tokens(const Input& input, std::int64_t first) const {
  if (input.noise_level.defined() || input.vectors.defined())
    throw Error("a llama network got vectors or a noise level",
                "a gpt2 network with model.vectors");
  const std::int64_t end = first + input.tokens.size(1);
  if (end > settings_.positions)
    throw Error(fmt::format("a sequence of {} tokens", end),
                fmt::format("at most {}, the length of this model", settings_.positions));
  return at::embedding(tokens_, input.tokens);
}

at::Tensor Llama::attend(const Block& block, const at::Tensor& n, const ops::Turns& turns,
                         double dropout, ops::KeysAndValues* seen) const {
  const std::int64_t size = settings_.head_size();
  const auto heads = [&](const Projection& projection) {  // (B, H, N, D)
    return project(n, projection, dropout).view({n.size(0), n.size(1), -1, size}).transpose(1, 2);
  };
  const at::Tensor q = ops::rope(heads(block.q), turns);
  at::Tensor k = ops::rope(heads(block.k), turns), v = heads(block.v);
  if (seen != nullptr) {
    k = seen->keys.with(k);
    v = seen->values.with(v);
  }
  const at::Tensor mixed =
      ops::attention(q, for_each_head(k, settings_.heads), for_each_head(v, settings_.heads),
                     {.causal = true, .scale = 1.0 / std::sqrt(static_cast<double>(size))});
  return project(mixed.transpose(1, 2).reshape({n.size(0), n.size(1), settings_.heads * size}),
                 block.o, dropout);
}

at::Tensor Llama::run_block(const Block& block, const at::Tensor& x, const ops::Turns& turns,
                            double dropout, ops::KeysAndValues* seen) const {
  const double eps = settings_.llama.norm_eps;
  const at::Tensor a =
      x + attend(block, compat::rms_norm(x, eps) * block.norm_attention, turns, dropout, seen);
  const at::Tensor n = compat::rms_norm(a, eps) * block.norm_mlp;
  const at::Tensor gated =
      at::silu(project(n, block.gate, dropout)) * project(n, block.up, dropout);
  return a + project(gated, block.down, dropout);
}

Output Llama::forward(const Input& input) {
  const double dropout = input.training ? settings_.lora.dropout : 0;
  at::Tensor x = embed_tokens(input, /*first=*/0);
  const ops::Turns turns = ops::rope_turns(rope_, 0, input.tokens.size(1), x.device());
  for (const Block& block : blocks_) {
    if (!input.recompute) {
      x = run_block(block, x, turns, dropout, /*seen=*/nullptr);
      continue;
    }
    const Part part = [this, &block, turns](const std::vector<at::Tensor>& inputs) {
      return std::vector<at::Tensor>{
          run_block(block, inputs.front(), turns, /*dropout=*/0, /*seen=*/nullptr)};
    };
    x = recomputed(part, {x}, block.trained).front();
  }
  x = compat::rms_norm(x, settings_.llama.norm_eps) * norm_;
  return {{Prediction(x, head_, settings_.shift)}};
}

at::Tensor Llama::next_logits(const at::Tensor& tokens, Cache& cache) {
  cache.layers.resize(blocks_.size());
  at::Tensor x = embed_tokens({.tokens = tokens}, cache.length);
  const ops::Turns turns = ops::rope_turns(rope_, cache.length, tokens.size(1), x.device());
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    x = run_block(blocks_[i], x, turns, /*dropout=*/0, &cache.layers[i]);
  cache.length += tokens.size(1);
  x = compat::rms_norm(x.select(1, -1), settings_.llama.norm_eps) * norm_;
  return apply_head(x, head_);
}

}  // namespace mgdm::nn
