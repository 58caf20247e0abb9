// Networks as tensors (ops/transformer.h): computed from those, by LibTorch's operations, they say
// what they say themselves.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/softmax.h>
#include <gtest/gtest.h>

#include <cmath>

#include "nn/model.h"
#include "nn/residual.h"
#include "nn/test_support.h"
#include "ops/layers.h"

namespace mgdm::nn {
namespace {

constexpr std::int64_t kTexts = 2, kTextLength = 7;

ModelSettings settings_for(const std::string& architecture) {
  ModelSettings settings;
  settings.architecture = architecture;
  settings.layers = 2;
  settings.loops = 3;
  settings.heads = 2;
  settings.width = 16;
  settings.positions = 9;
  settings.dropout = 0;
  settings.shift = architecture == "gpt2";
  return settings;
}

at::Tensor normed(const at::Tensor& x, const Norm& norm) {
  const at::Tensor centred = norm.weight.defined() ? x - x.mean(-1, true) : x;
  const at::Tensor y = centred / ((centred * centred).mean(-1, true) + norm.eps).sqrt();
  return norm.weight.defined() ? y * norm.weight + norm.bias : y;
}

at::Tensor attended(const at::Tensor& qkv, const ops::Transformer& network) {
  const std::int64_t size = qkv.size(2) / 3 / network.heads;
  std::vector<at::Tensor> parts =
      qkv.view({kTexts, kTextLength, 3, network.heads, size}).permute({2, 0, 3, 1, 4}).unbind(0);
  if (network.attention.head_norm_eps > 0)
    for (std::size_t i = 0; i < 2; ++i)
      parts[i] = normed(parts[i], {{}, {}, network.attention.head_norm_eps});
  at::Tensor scores = parts[0].matmul(parts[1].transpose(2, 3)) * network.attention.scale;
  if (network.attention.causal) {
    const at::Tensor n = at::arange(kTextLength);
    scores = scores.masked_fill(n.unsqueeze(1) < n, -INFINITY);
  }
  return at::softmax(scores, -1)
      .matmul(parts[2])
      .transpose(1, 2)
      .reshape({kTexts, kTextLength, network.heads * size});
}

at::Tensor logits_of(const ops::Transformer& network, const Input& input) {
  at::Tensor e = network.embedding.tokens.index({input.tokens}) +
                 network.embedding.positions.slice(0, 0, kTextLength);
  if (network.embedding.frozen.defined())
    e = e + network.embedding.frozen.index({input.frozen.to(at::kLong)});
  at::Tensor x = e;
  for (std::int64_t loop = 0; loop < network.loops; ++loop) {
    if (loop > 0) x = (network.loop_norm ? normed(x, network.final_norm) : x) + e;
    for (const ops::Transformer::Layer& layer : network.layers) {
      const at::Tensor qkv = at::linear(normed(x, layer.norm_attention), layer.qkv, layer.qkv_bias);
      x = x + at::linear(attended(qkv, network), layer.projection, layer.projection_bias);
      const at::Tensor up = at::linear(normed(x, layer.norm_mlp), layer.mlp.up, layer.mlp.up_bias);
      const bool gelu = network.activation == ops::Transformer::Activation::kGelu;
      x = x + at::linear(gelu ? ops::gelu(up) : ops::relu_squared(up), layer.mlp.down,
                         layer.mlp.down_bias);
    }
  }
  return Prediction(normed(x, network.final_norm), network.head, network.shift).logits();
}

void expect_same(const ModelSettings& settings, std::int64_t loops = 0) {
  const at::NoGradGuard no_grad;
  const auto model = lively(settings);
  const at::Tensor count = at::arange(kTexts * kTextLength).view({kTexts, kTextLength});
  const Input input{count * 7919 % 31, count % 3 == 0, /*training=*/false, loops};
  const std::optional<ops::Transformer> network = model->transformer(loops);
  ASSERT_TRUE(network.has_value());
  EXPECT_TRUE(at::allclose(logits_of(*network, input), model->forward(input).last().logits(),
                           /*rtol=*/1e-4, /*atol=*/1e-4))
      << settings.architecture;
}

TEST(Transformers, Gpt2IsItsTensors) {
  ModelSettings settings = settings_for("gpt2");
  expect_same(settings);
  settings.causal = true;
  expect_same(settings);
}

TEST(Transformers, LoopedIsItsTensors) {
  ModelSettings settings = settings_for("looped");
  expect_same(settings);
  expect_same(settings, /*loops=*/5);
  settings.frozen_embedding = settings.loop_norm = settings.shift = true;
  expect_same(settings);
}

TEST(Transformers, AreNotTheNetworksThatAreMore) {
  ModelSettings settings = settings_for("gpt2");
  settings.vectors = 8;
  EXPECT_FALSE(make_model(settings, 3)->transformer(0).has_value());
}

TEST(Transformers, RoundTheBiasThatAProductTakesRounded) {
  const auto model = lively(settings_for("gpt2"));
  const at::Tensor before = model->transformer(0)->layers[1].qkv_bias.clone();
  model->keep_matrices_in_bf16();
  const ops::Transformer::Layer layer = model->transformer(0)->layers[1];
  EXPECT_EQ(layer.qkv.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(layer.qkv_bias.equal(before.to(at::kBFloat16)));
  EXPECT_EQ(layer.projection_bias.scalar_type(), at::kFloat);
  EXPECT_EQ(layer.mlp.up_bias.scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace mgdm::nn
