// The kernels against LibTorch's own operations, in fp32. They run where there is a GPU.
#include "kernels/cuda_kernels.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/stack.h>
#include <gtest/gtest.h>

#include "compat/device.h"

namespace mgdm::kernels {
namespace {

constexpr double kEps = 1e-5;

at::Tensor numbers(at::IntArrayRef sizes, at::ScalarType type = at::kFloat) {
  return at::randn(sizes, at::TensorOptions().device(at::kCUDA).dtype(type));
}

at::Tensor leaf(const at::Tensor& values) { return values.detach().clone().requires_grad_(true); }

// bf16 has 8 bits: half of the last one is 2^-9 of the value.
void expect_near(const at::Tensor& got, const at::Tensor& expected, const char* what,
                 double relative = 0x1p-7) {
  const at::Tensor difference = (got.to(at::kFloat) - expected.to(at::kFloat)).abs();
  const double scale = expected.to(at::kFloat).abs().max().item<double>();
  EXPECT_LE(difference.max().item<double>(), relative * scale) << what;
}

at::Tensor rms(const at::Tensor& x) {
  return x * at::rsqrt((x * x).mean(-1, /*keepdim=*/true) + kEps);
}

class Kernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
    compat::seed_dropout(7);
  }
};

TEST_F(Kernels, ResidualNormEqualsItsParts) {
  for (const std::int64_t columns : {128, 256, 384, 512, 768, 1024})
    for (const bool layer_norm : {true, false})
      for (const at::ScalarType branch_type : {at::kBFloat16, at::kFloat})
        for (const std::int64_t rows : {1, 77, 9000}) {
          SCOPED_TRACE(testing::Message() << columns << " " << layer_norm << " " << rows);
          const at::Tensor x = numbers({rows, columns}) * 2 + 1;
          const at::Tensor branch = numbers({rows, columns}, branch_type);
          const at::Tensor weight = layer_norm ? numbers({columns}) + 1 : at::Tensor();
          const at::Tensor bias = layer_norm ? numbers({columns}) : at::Tensor();
          const at::Tensor dy = numbers({rows, columns});
          const at::Tensor dn = numbers({rows, columns}, at::kBFloat16);

          const at::Tensor x1 = leaf(x), branch1 = leaf(branch), x2 = leaf(x),
                           branch2 = leaf(branch);
          at::Tensor weight1, weight2, bias1, bias2;
          if (layer_norm) {
            weight1 = leaf(weight), weight2 = leaf(weight);
            bias1 = leaf(bias), bias2 = leaf(bias);
          }
          const ResidualNorm got = residual_norm(x1, branch1, weight1, bias1, kEps, /*dropout=*/0);
          const at::Tensor y = x2 + branch2;
          const at::Tensor n =
              layer_norm ? at::layer_norm(y, {columns}, weight2, bias2, kEps) : rms(y);
          expect_near(got.y, y, "y", 1e-6);
          expect_near(got.n, n, "n");
          ((got.y * dy).sum() + (got.n.to(at::kFloat) * dn).sum()).backward();
          ((y * dy).sum() + (n * dn).sum()).backward();
          expect_near(x1.grad(), x2.grad(), "dx", 1e-5);
          expect_near(branch1.grad(), branch2.grad(), "dbranch");
          if (layer_norm) {
            expect_near(weight1.grad(), weight2.grad(), "dweight", 1e-4);
            expect_near(bias1.grad(), bias2.grad(), "dbias", 1e-4);
          }
        }
}

TEST_F(Kernels, ResidualNormWithoutABranchIsANorm) {
  const at::Tensor x1 = leaf(numbers({50, 384})), x2 = leaf(x1);
  const at::Tensor dn = numbers({50, 384}, at::kBFloat16);
  const ResidualNorm got = residual_norm(x1, {}, {}, {}, kEps, /*dropout=*/0.1);
  EXPECT_TRUE(got.y.is_same(x1));
  expect_near(got.n, rms(x2), "n");
  (got.n.to(at::kFloat) * dn).sum().backward();
  (rms(x2) * dn).sum().backward();
  expect_near(x1.grad(), x2.grad(), "dx", 1e-5);
}

TEST_F(Kernels, ANormThatNobodyReadsHasNoGradient) {
  const at::Tensor x = leaf(numbers({50, 384})), branch = leaf(numbers({50, 384}, at::kBFloat16));
  const at::Tensor dy = numbers({50, 384});
  (residual_norm(x, branch, {}, {}, kEps, /*dropout=*/0).y * dy).sum().backward();
  EXPECT_TRUE(x.grad().equal(dy));
  expect_near(branch.grad(), dy, "dbranch");
}

TEST_F(Kernels, DropoutDropsItsShareAndItsGradientTheSame) {
  const double share = 0.3;
  const at::Tensor x = at::ones({4096, 384}, at::TensorOptions().device(at::kCUDA));
  const at::Tensor branch = leaf(at::ones_like(x, at::kBFloat16));
  const ResidualNorm got = residual_norm(x, branch, {}, {}, kEps, share);
  const at::Tensor added = got.y.detach() - 1;
  const at::Tensor kept = added > 0;
  EXPECT_NEAR(kept.to(at::kFloat).mean().item<double>(), 1 - share, 0.002);
  EXPECT_NEAR(added.mean().item<double>(), 1, 0.005);
  // Columns and rows are independent of their neighbours.
  const auto both = [&](std::int64_t dim) {
    const std::int64_t end = kept.size(dim);
    return (kept.slice(dim, 1) & kept.slice(dim, 0, end - 1)).to(at::kFloat).mean().item<double>();
  };
  EXPECT_NEAR(both(0), (1 - share) * (1 - share), 0.003);
  EXPECT_NEAR(both(1), (1 - share) * (1 - share), 0.003);
  (got.y.sum() + 0 * got.n.sum()).backward();
  EXPECT_TRUE(((branch.grad() > 0) == kept).all().item<bool>());
  // Another call draws anew; the same seed draws the same.
  const auto draw = [&] { return residual_norm(x, branch, {}, {}, kEps, share).y.detach(); };
  EXPECT_FALSE(draw().equal(draw()));
  compat::seed_dropout(7);
  EXPECT_TRUE(draw().equal(got.y.detach()));
}

TEST_F(Kernels, HeadNormLeavesValuesAlone) {
  for (const std::int64_t size : {16, 32, 64, 128}) {
    const at::Tensor qkv = numbers({3, 5, 3, 6, size}, at::kBFloat16);
    const at::Tensor a = leaf(qkv), b = leaf(qkv.to(at::kFloat));
    const at::Tensor got = head_norm(a, kEps);
    const std::vector<at::Tensor> parts = b.unbind(2);
    const at::Tensor expected = at::stack({rms(parts[0]), rms(parts[1]), parts[2]}, 2);
    expect_near(got, expected, "out");
    const at::Tensor weights = numbers(qkv.sizes());
    (got.to(at::kFloat) * weights).sum().backward();
    (expected * weights).sum().backward();
    expect_near(a.grad(), b.grad(), "gradient", 0x1p-6);
  }
}

TEST_F(Kernels, ReluSquared) {
  const at::Tensor x = numbers({7, 36}, at::kBFloat16);  // not a multiple of a thread's eight
  const at::Tensor a = leaf(x), b = leaf(x.to(at::kFloat));
  const at::Tensor got = relu_squared(a), expected = at::relu(b) * at::relu(b);
  expect_near(got, expected, "out");
  const at::Tensor weights = numbers(x.sizes());
  (got.to(at::kFloat) * weights).sum().backward();
  (expected * weights).sum().backward();
  expect_near(a.grad(), b.grad(), "gradient");
}

}  // namespace
}  // namespace mgdm::kernels
