// The table of the first attention's queries, keys and values against their formula, a row at a
// time in double; and when it is made again.
#include "ops/first_qkv.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include "compat/test_support.h"

namespace mgdm::ops {
namespace {

constexpr std::int64_t kTokens = 5, kPositions = 7, kWidth = 16;

Transformer network_on(c10::Device device, bool layer_norm, bool frozen) {
  const auto some = [&](at::IntArrayRef sizes) { return at::randn(sizes).to(device); };
  Transformer network{};
  network.embedding = {some({kTokens, kWidth}), some({kPositions, kWidth}),
                       frozen ? some({2, kWidth}) : at::Tensor()};
  Transformer::Layer layer;
  layer.norm_attention = {{}, {}, 1e-5};
  layer.qkv = (some({3 * kWidth, kWidth}) / 4).to(at::kBFloat16);
  if (layer_norm) {
    layer.norm_attention = {some({kWidth}), some({kWidth}), 1e-5};
    layer.qkv_bias = some({3 * kWidth}).to(at::kBFloat16);
  }
  network.layers = {layer};
  return network;
}

at::Tensor in_double(const at::Tensor& tensor) { return tensor.cpu().to(at::kDouble); }

// Norm and product of what stands there: (3C).
at::Tensor row_of(const Transformer& network, std::int64_t n, std::int64_t kind,
                  std::int64_t token) {
  const Transformer::Layer& layer = network.layers.front();
  const Norm& norm = layer.norm_attention;
  at::Tensor x =
      in_double(network.embedding.tokens)[token] + in_double(network.embedding.positions)[n];
  if (network.embedding.frozen.defined()) x = x + in_double(network.embedding.frozen)[kind];
  x = norm.weight.defined()
          ? at::layer_norm(x, {kWidth}, in_double(norm.weight), in_double(norm.bias), norm.eps)
          : x / (x * x).mean().add(norm.eps).sqrt();
  const at::Tensor y = at::linear(x, in_double(layer.qkv));
  return layer.qkv_bias.defined() ? y + in_double(layer.qkv_bias) : y;
}

TEST(FirstQkv, HasARowForAllThatCanStandSomewhere) {
  const at::NoGradGuard no_grad;
  for (const c10::Device device : compat::devices())
    for (const bool layer_norm : {false, true})
      for (const bool frozen : {false, true}) {
        const Transformer network = network_on(device, layer_norm, frozen);
        const std::int64_t length = kPositions - 2, kinds = frozen ? 2 : 1;
        const at::Tensor table = first_qkv(network, length);
        ASSERT_EQ(table.sizes(), (std::vector{length * kinds * kTokens, 3 * kWidth}));
        ASSERT_EQ(table.scalar_type(), at::kBFloat16);
        for (std::int64_t n = 0; n < length; ++n)
          for (std::int64_t kind = 0; kind < kinds; ++kind)
            for (std::int64_t token = 0; token < kTokens; ++token) {
              const at::Tensor got = in_double(table[(n * kinds + kind) * kTokens + token]);
              const at::Tensor want = row_of(network, n, kind, token);
              // The norm, numbers of some 1, and the result are rounded by 2^-9 each; products of
              // 16 numbers of 1 and 1/4 are of some 1.
              EXPECT_LT((got - want).abs().max().item<double>(), 0.06)
                  << n << " " << kind << " " << token;
            }
      }
}

TEST(FirstQkv, IsMadeAgainWhenWeightsChange) {
  const at::NoGradGuard no_grad;
  Transformer network = network_on(c10::Device(c10::kCPU), /*layer_norm=*/true, /*frozen=*/true);
  FirstQkv memory;
  const auto is_kept = [&](std::int64_t length) {
    const at::Tensor before = memory.of(network, 3), after = memory.of(network, length);
    const at::Tensor want = first_qkv(network, length);
    EXPECT_TRUE(after.slice(0, 0, want.size(0)).equal(want));
    return before.is_same(after);
  };
  EXPECT_TRUE(is_kept(3));
  EXPECT_TRUE(is_kept(2));
  EXPECT_FALSE(is_kept(4));
  EXPECT_TRUE(is_kept(4));
  Transformer::Layer& layer = network.layers.front();
  const auto changes = [&](at::Tensor& which, auto&& change) {
    const at::Tensor before = memory.of(network, 3);
    change(which);
    const at::Tensor after = memory.of(network, 3);
    EXPECT_TRUE(after.equal(first_qkv(network, 3)));
    return !before.is_same(after);
  };
  for (at::Tensor* which :
       {&network.embedding.tokens, &network.embedding.positions, &network.embedding.frozen,
        &layer.norm_attention.weight, &layer.norm_attention.bias, &layer.qkv, &layer.qkv_bias}) {
    EXPECT_TRUE(changes(*which, [](at::Tensor& tensor) { tensor.add_(1); }));
    EXPECT_TRUE(changes(*which, [](at::Tensor& tensor) { tensor = tensor + 1; }));
    EXPECT_TRUE(changes(*which, [](at::Tensor& tensor) { tensor.set_data(tensor + 1); }));
    EXPECT_FALSE(changes(*which, [](at::Tensor&) {}));
  }
  layer.norm_attention.eps = 1e-3;
  EXPECT_TRUE(changes(layer.qkv, [&](at::Tensor&) { layer.norm_attention.eps = 1e-2; }));
}

}  // namespace
}  // namespace mgdm::ops
