#include "nn/looped.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <tuple>

#include "base/error.h"
#include "nn/recompute.h"
#include "ops/layers.h"
#include "ops/shared_weight.h"

namespace mgdm::nn {
namespace {

constexpr double kAttentionScale = 0.25;
constexpr double kRmsEps = 1e-6;

const Norm kRms{{}, {}, kRmsEps};

}  // namespace

Looped::Looped(const ModelSettings& settings, std::optional<std::uint64_t> seed)
    : Model(settings, seed),
      tokens_(parameters_.at("embed.tokens")),
      positions_(parameters_.at("embed.positions")),
      head_(parameters_.at("head")) {
  if (settings.frozen_embedding) frozen_ = parameters_.at("embed.frozen");
  for (std::int64_t i = 0; i < settings.layers; ++i) {
    const std::string name = fmt::format("blocks.{}.", i);
    blocks_.push_back({parameters_.at(name + "qkv"), parameters_.at(name + "projection"),
                       parameters_.at(name + "up"), parameters_.at(name + "down")});
  }
}

ops::AttentionForm Looped::attention_form() const {
  return {.causal = settings_.causal, .scale = kAttentionScale, .head_norm_eps = kRmsEps};
}

Branch Looped::attend(const Block& block, const at::Tensor& x, const at::Tensor& stream,
                      ops::KeysAndValues* seen) const {
  const std::int64_t heads = settings_.heads;
  const at::Tensor qkv =
      ops::linear(x, block.qkv).view({x.size(0), x.size(1), 3, heads, settings_.width / heads});
  const at::Tensor mixed = ops::attention(qkv, attention_form(), seen);
  return ops::linear_branch(mixed, block.projection, /*bias=*/{}, stream);
}

Branch Looped::mlp(const Block& block, const at::Tensor& x, const at::Tensor& stream) const {
  return ops::mlp_relu_squared(x, {.up = block.up, .down = block.down}, stream);
}

std::vector<Looped::Block> Looped::shared_blocks() const {
  std::vector<Block> shared;
  for (const Block& block : blocks_)
    shared.push_back({ops::shared_weight(block.qkv), ops::shared_weight(block.projection),
                      ops::shared_weight(block.up), ops::shared_weight(block.down)});
  return shared;
}

void Looped::run_loop(const std::vector<Block>& blocks, std::int64_t loop, Residual& stream,
                      Cache* cache) const {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t place = static_cast<std::size_t>(loop) * blocks.size() + i;
    ops::KeysAndValues* const seen = cache != nullptr ? &cache->layers[place] : nullptr;
    at::Tensor x = stream.normed(kRms);
    stream.add(attend(blocks[i], x, stream.value(), seen));
    x = stream.normed(kRms);
    stream.add(mlp(blocks[i], x, stream.value()));
  }
}

template <class AfterLoop>
void Looped::run(const at::Tensor& e, const at::Tensor& earlier, std::int64_t loops, Cache* cache,
                 Wanted wanted, AfterLoop&& after_loop) const {
  const std::vector<Block> blocks = loops > 1 ? shared_blocks() : blocks_;
  // After a norm, which is in bf16 anyway, a loop adds but a few branches to its stream: so bf16 is
  // enough for that, too.
  const std::vector<at::Tensor> begin =
      settings_.loop_norm ? ops::short_streams(e, loops)
                          : std::vector<at::Tensor>(static_cast<std::size_t>(loops), e);
  Residual stream(begin.front(), /*dropout=*/0);
  if (earlier.defined()) stream.add({earlier});
  for (std::int64_t loop = 0; loop < loops; ++loop) {
    run_loop(blocks, loop, stream, cache);
    const bool last = loop + 1 == loops, want = last || wanted == Wanted::kEvery;
    at::Tensor normed, again;
    if (want || settings_.loop_norm) std::tie(normed, again) = stream.normed_twice(kRms);
    if (want) after_loop(normed);
    if (last) break;
    const at::Tensor& next = begin[static_cast<std::size_t>(loop) + 1];
    if (settings_.loop_norm) {
      stream = Residual(next, /*dropout=*/0);
      stream.add({again});
    } else {
      stream.add({next});
    }
  }
}

Output Looped::forward_again(const at::Tensor& e, const at::Tensor& earlier,
                             std::int64_t loops) const {
  std::vector<at::Tensor> weights;
  for (const Block& block : blocks_)
    weights.insert(weights.end(), {block.qkv, block.projection, block.up, block.down});
  Output output;
  at::Tensor x = earlier.defined() ? earlier + e : e;
  for (std::int64_t loop = 0; loop < loops; ++loop) {
    const Part part = [this, loop](const std::vector<at::Tensor>& inputs) {
      Residual stream(inputs.front(), /*dropout=*/0);
      run_loop(blocks_, loop, stream, /*cache=*/nullptr);
      const at::Tensor normed = stream.normed(kRms);
      return std::vector<at::Tensor>{normed, stream.value()};
    };
    const std::vector<at::Tensor> after = recomputed(part, {x}, weights);
    output.predictions.emplace_back(after[0], head_, settings_.shift);
    x = (settings_.loop_norm ? after[0] : after[1]) + e;
  }
  return output;
}

Output Looped::forward(const Input& input) {
  const at::Tensor e = embed({tokens_, positions_, frozen_}, input);
  MGDM_CHECK(!input.earlier.defined() || settings_.loop_norm);
  const std::int64_t loops = input.loops > 0 ? input.loops : settings_.loops;
  if (input.recompute) return forward_again(e, input.earlier, loops);
  Output output;
  run(e, input.earlier, loops, /*cache=*/nullptr, input.training ? Wanted::kEvery : Wanted::kLast,
      [&](const at::Tensor& normed) {
        output.predictions.emplace_back(normed, head_, settings_.shift);
      });
  return output;
}

at::Tensor Looped::next_logits(const at::Tensor& tokens, Cache& cache) {
  if (!settings_.causal) return Model::next_logits(tokens, cache);
  // Every loop has keys and values of its own.
  const auto depth = static_cast<std::size_t>(settings_.loops) * blocks_.size();
  cache.layers.resize(depth);
  const at::Tensor e = embed({tokens_, positions_}, {.tokens = tokens}, cache.length);
  at::Tensor logits;
  run(e, /*earlier=*/{}, settings_.loops, &cache, Wanted::kLast,
      [&](const at::Tensor& normed) { logits = apply_head(normed.select(1, -1), head_); });
  cache.length += tokens.size(1);
  return logits;
}

std::optional<ops::Transformer> Looped::transformer(std::int64_t loops) const {
  ops::Transformer network{.embedding = {tokens_, positions_, frozen_},
                           .layers = {},
                           .loops = loops > 0 ? loops : settings_.loops,
                           .loop_norm = settings_.loop_norm,
                           .heads = settings_.heads,
                           .attention = attention_form(),
                           .activation = ops::Transformer::Activation::kReluSquared,
                           .final_norm = kRms,
                           .head = head_,
                           .shift = settings_.shift};
  for (const Block& block : blocks_)
    network.layers.push_back({.norm_attention = kRms,
                              .qkv = block.qkv,
                              .projection = block.projection,
                              .norm_mlp = kRms,
                              .mlp = {.up = block.up, .down = block.down}});
  return network;
}

}  // namespace mgdm::nn
