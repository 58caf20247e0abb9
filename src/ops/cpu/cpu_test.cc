// Compares our own loops on the CPU with LibTorch's operations in double.
#ifdef MGDM_HAVE_VECTORS

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compat/device.h"
#include "ops/attention.h"
#include "ops/cpu/functions.h"
#include "ops/layers.h"
#include "ops/residual_norm.h"
#include "vectors/test_support.h"

namespace mgdm::ops::cpu {
namespace {

using vectors::on_every_target;

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return at::abs(a.detach().to(at::kDouble) - b.detach().to(at::kDouble)).max().item<double>();
}

at::Tensor leaf(const at::Tensor& x) { return x.detach().clone().set_requires_grad(true); }

at::Tensor random_heads(std::int64_t positions, std::int64_t size) {
  return at::randn({2, 3, positions, size});
}

TEST(Gelu, IsThatOfLibtorchWithItsGradient) {
  // An odd number: the last lanes are not full.
  const at::Tensor x = leaf(at::linspace(-12, 12, 100'003)), exact = leaf(x.to(at::kDouble));
  const at::Tensor y = ops::gelu(x), right = at::gelu(exact, "tanh");
  EXPECT_LT(largest_difference(y, right), 2e-6);  // of values up to 12
  y.sum().backward();
  right.sum().backward();
  EXPECT_LT(largest_difference(x.grad(), exact.grad()), 2e-6);
}

// More rows than are summed at a time, and widths that fill no panel. An error is that of sums of
// up to 1301 numbers near 1.
TEST(Linear, IsThatOfLibtorchWithItsGradients) {
  for (const std::int64_t rows : {1, 7, 1301})
    for (const std::int64_t in : {1, 48, 101})
      for (const std::int64_t out : {1, 64, 75}) {
        const at::Tensor x = leaf(at::randn({in, rows}).t()), weight = leaf(at::randn({out, in})),
                         bias = leaf(at::randn({out})), dy = at::randn({rows, out});
        const at::Tensor exact[] = {leaf(x.to(at::kDouble)), leaf(weight.to(at::kDouble)),
                                    leaf(bias.to(at::kDouble))};
        const at::Tensor y = cpu::linear(x, weight, bias),
                         right = at::linear(exact[0], exact[1], exact[2]);
        y.backward(dy);
        right.backward(dy.to(at::kDouble));
        const std::string shape = fmt::format("{} rows of {} to {}", rows, in, out);
        EXPECT_LT(largest_difference(y, right), 1e-4) << shape;
        EXPECT_LT(largest_difference(x.grad(), exact[0].grad()), 1e-4) << shape;
        EXPECT_LT(largest_difference(weight.grad(), exact[1].grad()), 1e-3) << shape;
        EXPECT_LT(largest_difference(bias.grad(), exact[2].grad()), 1e-3) << shape;
      }
}

TEST(Linear, TakesManyDimensionsAndNoBias) {
  const at::Tensor x = leaf(at::randn({2, 3, 5, 16})), weight = leaf(at::randn({8, 16}));
  const at::Tensor y = cpu::linear(x, weight, {});
  EXPECT_EQ(y.sizes().vec(), (std::vector<std::int64_t>{2, 3, 5, 8}));
  EXPECT_LT(largest_difference(y, at::linear(x, weight)), 1e-5);
  y.sum().backward();
  EXPECT_EQ(x.grad().sizes(), x.sizes());
  EXPECT_LT(largest_difference(x.grad().view({-1, 16})[7], weight.sum(0)), 1e-5);
}

TEST(Linear, RefusesWhatDoesNotFit) {
  const at::Tensor weight = at::randn({8, 12});
  EXPECT_ANY_THROW(cpu::linear(at::randn({4, 16}), weight, {}));
  EXPECT_ANY_THROW(cpu::linear(at::randn({4, 12}), weight, at::randn({7})));
}

TEST(Linear, ComputesOnlyGradientsThatAreWanted) {
  const at::Tensor x = at::randn({4, 16}), weight = leaf(at::randn({8, 16}));
  cpu::linear(x, weight, {}).sum().backward();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_LT(largest_difference(weight.grad()[3], x.sum(0)), 1e-5);
  const at::Tensor empty = leaf(at::randn({0, 16}));
  cpu::linear(empty, weight, {}).sum().backward();  // adds nothing
  EXPECT_EQ(empty.grad().sizes(), empty.sizes());
  EXPECT_LT(largest_difference(weight.grad()[3], x.sum(0)), 1e-5);
}

TEST(Dropout, DrawsByTheSeedAndTheSameBackward) {
  const at::Tensor x = leaf(at::ones({1000, 1001}));
  compat::seed_dropout(1);
  const at::Tensor first = ops::dropout(x, 0.1), second = ops::dropout(x, 0.1);
  compat::seed_dropout(1);
  EXPECT_TRUE(at::equal(ops::dropout(x, 0.1), first));
  EXPECT_FALSE(at::equal(first, second));
  // The standard deviation is 0.0003.
  EXPECT_NEAR((first == 0).to(at::kFloat).mean().item<double>(), 0.1, 0.0015);
  EXPECT_NEAR(((first == 0) & (second == 0)).to(at::kFloat).mean().item<double>(), 0.01, 0.0005);
  EXPECT_NEAR(first.max().item<double>(), 1 / 0.9, 1e-6);
  first.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), first));
  EXPECT_TRUE(ops::dropout(x, 0).is_same(x));
}

struct Shape {
  std::int64_t n, m, size;
  bool causal;
};

class Attention : public testing::TestWithParam<Shape> {};

void check_attention(const Shape& shape) {
  at::Tensor all[] = {random_heads(shape.n, shape.size), random_heads(shape.m, shape.size),
                      random_heads(shape.m, shape.size)};
  at::Tensor exact[3];
  for (int i = 0; i < 3; ++i) {
    exact[i] = leaf(all[i].to(at::kDouble));
    // As a network has them: heads beside each other, under a view.
    all[i] = leaf(all[i].transpose(1, 2).contiguous().transpose(1, 2));
  }
  const auto run = [&](const at::Tensor(&x)[3]) {
    return ops::attention(x[0], x[1], x[2], {.causal = shape.causal, .scale = 0.3});
  };
  const at::Tensor out = run(all), right = run(exact);
  EXPECT_LT(largest_difference(out, right), 1e-5);
  const at::Tensor weight = at::randn(out.sizes());
  (out * weight).sum().backward();
  (right * weight).sum().backward();
  for (int i = 0; i < 3; ++i)
    EXPECT_LT(largest_difference(all[i].grad(), exact[i].grad()), 1e-5) << "qkv"[i];
}

TEST_P(Attention, IsThePlainOneWithItsGradients) {
  on_every_target([] { check_attention(GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Shapes, Attention,
                         testing::Values(Shape{64, 64, 32, false}, Shape{75, 75, 32, true},
                                         Shape{1, 1, 5, false}, Shape{1, 9, 16, true},
                                         Shape{3, 21, 24, true}, Shape{17, 17, 64, false}));

TEST(AttentionDropout, DropsWeightsAndTheSameBackward) {
  // With values that are the unit vectors, what comes out is the weights.
  constexpr std::int64_t kLength = 80;
  const at::Tensor q = leaf(random_heads(kLength, kLength)),
                   k = leaf(random_heads(kLength, kLength));
  const at::Tensor v = leaf(at::eye(kLength).expand({2, 3, kLength, kLength}));
  compat::seed_dropout(7);
  const at::Tensor out = ops::attention(q, k, v, {.scale = 0.1, .dropout = 0.25});

  const at::Tensor q2 = leaf(q.to(at::kDouble)), k2 = leaf(k.to(at::kDouble)),
                   v2 = leaf(v.to(at::kDouble));
  const at::Tensor p = at::softmax(at::matmul(q2 * 0.1, k2.transpose(-2, -1)), -1);
  const at::Tensor factors = (out.detach() != 0).to(at::kDouble) / 0.75;
  // The standard deviation is 0.003.
  EXPECT_NEAR((factors == 0).to(at::kDouble).mean().item<double>(), 0.25, 0.012);
  const at::Tensor right = at::matmul(p * factors, v2);
  EXPECT_LT(largest_difference(out, right), 1e-6);
  const at::Tensor weight = at::randn(out.sizes());
  (out * weight).sum().backward();
  (right * weight).sum().backward();
  EXPECT_LT(largest_difference(q.grad(), q2.grad()), 1e-5);
  EXPECT_LT(largest_difference(k.grad(), k2.grad()), 1e-5);
  EXPECT_LT(largest_difference(v.grad(), v2.grad()), 1e-5);
}

}  // namespace
}  // namespace mgdm::ops::cpu

#endif  // MGDM_HAVE_VECTORS
