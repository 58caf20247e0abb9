// The kernels number by number against their formulas in double. They run where there is a GPU.
//
// A row's sum is 4 to 32 additions in a lane and 5 between lanes: an error below 40 kFloat times
// the sum of sizes; with what follows (division, square root, products) it stays below kSums = 64
// kFloat.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <optional>

#include "compat/device.h"
#include "ops/cuda/functions.h"
#include "ops/cuda/test_support.h"

namespace mgdm::ops::cuda {
namespace {

constexpr double kEps = 1e-5;
constexpr double kSums = 64 * kFloat;

at::Tensor row_mean(const at::Tensor& x) { return x.mean(-1, /*keepdim=*/true); }

at::Tensor rms(const at::Tensor& x) { return x * at::rsqrt(row_mean(x * x) + kEps); }

// What the norm of y is made of, in double, for the bounds.
struct Parts {
  Parts(const at::Tensor& of, const at::Tensor& weight_or_none)
      : y(of.detach()),
        weight(weight_or_none.defined() ? weight_or_none.detach().abs()
                                        : at::ones({y.size(-1)}, y.options())) {
    const at::Tensor centred = weight_or_none.defined() ? y - row_mean(y) : y;
    scale = at::rsqrt(row_mean(centred * centred) + kEps);
    h = (centred * scale).abs();
    size = h + (y.abs() + row_mean(y.abs())) * scale;
  }

  // The error of h = (y - mean) / sigma, where y and mean have errors of their own size.
  at::Tensor h_error() const { return kSums * size; }

  // The error of (g - mean(g) - h mean(g h)) / sigma for a given |g|: h errs, and so does mean(g
  // h), by its h and by its sum.
  at::Tensor gradient_error(const at::Tensor& g) const {
    return 3 * kSums * scale * (g + row_mean(g) + size * row_mean(g * size));
  }

  // What comes on top where h was rounded to bf16 before: h and mean(g h) err by kBf16 each, and by
  // little more together.
  at::Tensor rounding_error(const at::Tensor& g) const {
    return 3 * kBf16 * scale * h * row_mean(g * h);
  }

  at::Tensor y, weight;  // |weight|
  at::Tensor scale;      // 1 / sigma
  at::Tensor h;          // |h|
  at::Tensor size;       // of the numbers that h is the difference of
};

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
          const at::Tensor x = leaf(numbers({rows, columns}) * 2 + 1);
          const at::Tensor branch = leaf(numbers({rows, columns}, branch_type));
          const bool with_bias = layer_norm && branch_type == at::kBFloat16;
          const at::Tensor branch_bias = with_bias ? leaf(numbers({columns})) : at::Tensor();
          const at::Tensor weight = layer_norm ? leaf(numbers({columns}) + 1) : at::Tensor();
          const at::Tensor bias = layer_norm ? leaf(numbers({columns})) : at::Tensor();
          const at::Tensor dy = numbers({rows, columns});
          const at::Tensor dn = numbers({rows, columns}, at::kBFloat16);

          const ResidualNorm got =
              cuda::residual_norm(x, {branch, branch_bias}, {weight, bias, kEps}, /*dropout=*/0);
          ((got.y * dy).sum() + (got.n.to(at::kFloat) * dn).sum()).backward();

          const at::Tensor x2 = exact(x), branch2 = exact(branch);
          at::Tensor weight2, bias2;
          if (layer_norm) weight2 = exact(weight), bias2 = exact(bias);
          at::Tensor y = x2 + branch2, branch_bias2;
          if (with_bias) {
            branch_bias2 = exact(branch_bias);
            y = y + branch_bias2;
          }
          const at::Tensor n =
              layer_norm ? at::layer_norm(y, {columns}, weight2, bias2, kEps) : rms(y);
          ((y * dy).sum() + (n * dn).sum()).backward();

          const Parts parts(y, weight2);
          const at::Tensor dn_size = dn.to(at::kDouble).abs();
          // With a bias y is the sum of three, and its norm that of a y rounded once more.
          at::Tensor y_error = kFloat * y.detach().abs();
          if (with_bias) y_error = y_error + kFloat * (branch2.abs() + branch_bias2.abs());
          expect_within(got.y, y, y_error, "y");
          at::Tensor n_error = kBf16 * n.abs() + parts.weight * parts.h_error();
          if (layer_norm) n_error = n_error + 4 * kFloat * (parts.weight * parts.h + bias2.abs());
          expect_within(got.n, n, n_error, "n");

          at::Tensor dx_error = parts.gradient_error(dn_size * parts.weight) +
                                2 * kFloat * (dy.abs() + x2.grad().abs());
          if (!layer_norm) dx_error = dx_error + parts.rounding_error(dn_size);
          const double rounded = branch_type == at::kBFloat16 ? kBf16 : 0;
          expect_within(x.grad(), x2.grad(), dx_error, "dx");
          expect_within(branch.grad(), branch2.grad(),
                        dx_error * (1 + rounded) + rounded * branch2.grad().abs(), "dbranch");
          if (layer_norm) {
            // Sums over rows: 5 in a warp, 8 warps, 264 blocks in 16 slices.
            expect_within(weight.grad(), weight2.grad(),
                          (dn_size * (parts.h_error() + kSums * parts.h)).sum(0), "dweight");
            expect_within(bias.grad(), bias2.grad(), kSums * dn_size.sum(0), "dbias");
            if (with_bias)
              expect_within(branch_bias.grad(), branch_bias2.grad(),
                            (dx_error + kSums * branch2.grad().abs()).sum(0), "dbranch_bias");
          }
        }
}

TEST_F(Kernels, ResidualNormWithoutABranchIsANorm) {
  const at::Tensor x = leaf(numbers({50, 384}));
  const at::Tensor dn = numbers({50, 384}, at::kBFloat16);
  const ResidualNorm got = cuda::residual_norm(x, {}, {{}, {}, kEps}, /*dropout=*/0.1);
  EXPECT_EQ(got.y.data_ptr(), x.data_ptr());
  const at::Tensor dy = numbers({50, 384});
  ((got.y * dy).sum() + (got.n.to(at::kFloat) * dn).sum()).backward();
  const at::Tensor x2 = exact(x), n = rms(x2);
  ((x2 * dy).sum() + (n * dn).sum()).backward();
  const Parts parts(x2, {});
  const at::Tensor dn_size = dn.to(at::kDouble).abs();
  expect_within(got.n, n, kBf16 * n.abs() + parts.h_error(), "n");
  expect_within(x.grad(), x2.grad(),
                parts.gradient_error(dn_size) + parts.rounding_error(dn_size) +
                    2 * kFloat * (dy.abs() + x2.grad().abs()),
                "dx");
}

// With h = n as it was rounded, and r = 1 / rms(y): dx = dy + r (dn - h mean(dn h)). Both r and the
// mean err by less than kSums. Rows are of very different sizes, so each needs the r of its own. A
// stream in bf16 is rounded when it is written: n and r are those of the sum before.
TEST_F(Kernels, TheGradientOfTheRmsNormIsThatOfItsRoundedValue) {
  using Type = std::optional<at::ScalarType>;
  struct Kind {
    at::ScalarType stream;
    Type branch;
  };
  const Kind kinds[] = {{at::kFloat, {}},
                        {at::kFloat, at::kBFloat16},
                        {at::kFloat, at::kFloat},
                        {at::kBFloat16, {}},
                        {at::kBFloat16, at::kBFloat16}};
  for (const std::int64_t columns : {128, 256, 384, 512, 768, 1024})
    for (const auto& [stream, branch_type] : kinds)
      for (const std::int64_t rows : {1, 77, 9000}) {
        SCOPED_TRACE(testing::Message() << columns << " " << at::toString(stream) << " "
                                        << branch_type.has_value() << " " << rows);
        const at::Tensor dy = numbers({rows, columns}, stream);
        const at::Tensor sizes =
            at::pow(10, at::rand({rows, 1}, dy.options().dtype(at::kFloat)) * 6 - 3);
        const at::Tensor x = leaf((numbers({rows, columns}) * sizes).to(stream));
        const at::Tensor branch =
            branch_type ? leaf((numbers({rows, columns}) * sizes).to(*branch_type)) : at::Tensor();
        const ResidualNorm got = cuda::residual_norm(x, {branch}, {{}, {}, kEps}, /*dropout=*/0);
        // Along n, so that mean(dn h) is not small.
        const at::Tensor dn = numbers({rows, columns}, at::kBFloat16) + got.n.detach();
        ((got.y * dy).to(at::kFloat).sum() + (got.n.to(at::kFloat) * dn).sum()).backward();

        at::Tensor y = x.detach().to(at::kDouble);
        if (branch_type) y = y + branch.detach().to(at::kDouble);
        const double to_stream = stream == at::kBFloat16 ? kBf16 : kFloat;
        expect_within(got.y, y, to_stream * y.abs(), "y");
        const at::Tensor n = rms(y);
        expect_within(got.n, n, (kBf16 + 2 * kSums) * n.abs(), "n");

        const at::Tensor h = got.n.detach().to(at::kDouble);
        const at::Tensor r = at::rsqrt(row_mean(y * y) + kEps), g = dn.to(at::kDouble);
        const at::Tensor dx = dy + r * (g - h * row_mean(g * h));
        const at::Tensor dx_error = 2 * kSums * r * (g.abs() + h.abs() * row_mean((g * h).abs())) +
                                    2 * kFloat * (dy.abs() + dx.abs());
        const auto rounded_to = [&](at::ScalarType type) {
          const double rounded = type == at::kBFloat16 ? kBf16 : 0;
          return dx_error * (1 + rounded) + rounded * dx.abs();
        };
        expect_within(x.grad(), dx, rounded_to(stream), "dx");
        if (branch_type) expect_within(branch.grad(), dx, rounded_to(*branch_type), "dbranch");
      }
}

TEST_F(Kernels, TheRmsNormKeepsItsValueInsteadOfTheStream) {
  const at::Tensor x = leaf(numbers({50, 384})), branch = leaf(numbers({50, 384}, at::kBFloat16));
  ResidualNorm got = cuda::residual_norm(x, {branch}, {{}, {}, kEps}, /*dropout=*/0);
  const auto y = got.y.storage().getWeakStorageImpl(), n = got.n.storage().getWeakStorageImpl();
  got.y = at::Tensor();
  EXPECT_TRUE(y.expired());
  // An output that its own function keeps is no cycle.
  got.n = got.again = at::Tensor();
  EXPECT_TRUE(n.expired());
}

// Only where a gradient will be asked for: answers keep the stream in fp32.
TEST_F(Kernels, StreamsAreShortInTrainingAlone) {
  const auto type = [](const at::Tensor& x) {
    return ops::short_streams(x, 1).front().scalar_type();
  };
  const at::Tensor x = leaf(numbers({50, 384}));
  EXPECT_EQ(type(x), at::kFloat) << "without mixed precision";
  const compat::Autocast autocast(compat::device("cuda"), /*enabled=*/true);
  EXPECT_EQ(type(x), at::kBFloat16);
  EXPECT_EQ(type(leaf(numbers({50, 100}))), at::kFloat) << "no kernel so wide";
  const at::NoGradGuard no_grad;
  EXPECT_EQ(type(x), at::kFloat);
}

// x has the sum of their gradients, in float; streams that nobody read have none.
TEST_F(Kernels, ShortStreamsBeginWithTheSame) {
  const compat::Autocast autocast(compat::device("cuda"), /*enabled=*/true);
  for (const int count : {1, 4, 8, 9, 20})
    for (const bool all : {true, false}) {
      SCOPED_TRACE(testing::Message() << count << all);
      const at::Tensor x = leaf(numbers({77, 3, 128}));
      at::Tensor loss = at::zeros({}, x.options()), sum = at::zeros_like(x, at::kDouble);
      at::Tensor size = sum;
      int number = 0;
      for (const at::Tensor& stream : short_streams(x, count)) {
        EXPECT_TRUE(stream.equal(x.to(at::kBFloat16)));
        if (!all && number++ % 3 != 1) continue;
        const at::Tensor gradient = numbers(x.sizes(), at::kBFloat16);
        loss = loss + (stream.to(at::kFloat) * gradient).sum();
        sum = sum + gradient.to(at::kDouble);
        size = size + gradient.to(at::kDouble).abs();
      }
      if (!loss.requires_grad()) continue;  // one stream, not read
      loss.backward();
      expect_within(x.grad(), sum, count * kFloat * size, "sum");
    }
}

// The norm at the end of a loop has two readers, and its stream none.
TEST_F(Kernels, TheGradientsOfANormsTwoReadersAddUp) {
  for (const at::ScalarType stream : {at::kBFloat16, at::kFloat})
    for (const bool with_dy : {false, true})
      for (const std::int64_t rows : {1, 77, 9000}) {
        SCOPED_TRACE(testing::Message() << at::toString(stream) << with_dy << " " << rows);
        const at::Tensor values = numbers({rows, 384}, stream), dy = numbers({rows, 384}, stream);
        const at::Tensor branch = numbers({rows, 384}, at::kBFloat16);
        const at::Tensor dn = numbers({rows, 384}, at::kBFloat16);
        const auto dx = [&](const at::Tensor& first, const at::Tensor& second) {
          const at::Tensor x = leaf(values);
          const ResidualNorm got = cuda::residual_norm(x, {branch}, {{}, {}, kEps}, /*dropout=*/0);
          EXPECT_TRUE(got.again.equal(got.n));
          at::Tensor loss = at::zeros({}, dy.options().dtype(at::kFloat));
          if (with_dy) loss = loss + (got.y * dy).to(at::kFloat).sum();
          if (first.defined()) loss = loss + (got.n.to(at::kFloat) * first).sum();
          if (second.defined()) loss = loss + (got.again.to(at::kFloat) * second).sum();
          loss.backward();
          return x.grad();
        };
        // Half of dn is exact, and so is their difference.
        const at::Tensor want = dx(dn / 2, {});
        EXPECT_TRUE(dx(dn, -dn / 2).equal(want));
        EXPECT_TRUE(dx(-dn / 2, dn).equal(want));
        EXPECT_TRUE(dx({}, dn / 2).equal(want));
      }
}

TEST_F(Kernels, ResidualNormOfSomeRowsIsThatOfThoseRows) {
  const at::NoGradGuard no_grad;
  for (const std::int64_t columns : {128, 384, 1024})
    for (const bool layer_norm : {true, false}) {
      SCOPED_TRACE(testing::Message() << columns << " " << layer_norm);
      const at::Tensor x = numbers({50, 4, columns}),
                       branch = numbers({77, columns}, at::kBFloat16);
      const at::Tensor picked = at::randint(0, 200, {77}, x.options().dtype(at::kLong));
      const Norm norm =
          layer_norm ? Norm{numbers({columns}), numbers({columns}), kEps} : Norm{{}, {}, kEps};
      const Branch with_bias{branch, layer_norm ? numbers({columns}) : at::Tensor()};
      const ResidualNorm got = cuda::residual_norm_of(x, picked, with_bias, norm);
      const ResidualNorm expected = cuda::residual_norm(
          x.view({200, columns}).index_select(0, picked), with_bias, norm, /*dropout=*/0);
      EXPECT_TRUE(got.y.equal(expected.y));
      EXPECT_TRUE(got.n.equal(expected.n));
    }
}

TEST_F(Kernels, ResidualNormOntoItsStreamIsTheSame) {
  const at::NoGradGuard no_grad;
  for (const bool layer_norm : {true, false})
    for (const bool has_branch : {true, false}) {
      SCOPED_TRACE(testing::Message() << layer_norm << " " << has_branch);
      const at::Tensor x = numbers({50, 20, 384});
      const Norm norm =
          layer_norm ? Norm{numbers({384}), numbers({384}), kEps} : Norm{{}, {}, kEps};
      Branch branch;
      if (has_branch) branch.value = numbers({50, 20, 384}, at::kBFloat16);
      if (has_branch && layer_norm) branch.bias = numbers({384});
      const ResidualNorm expected = cuda::residual_norm(x.clone(), branch, norm, /*dropout=*/0);
      const ResidualNorm got = cuda::residual_norm_onto(x, branch, norm);
      EXPECT_TRUE(got.y.is_same(x));
      EXPECT_TRUE(got.y.equal(expected.y));
      EXPECT_TRUE(got.n.equal(expected.n));
    }
}

// More hidden rows than there is room for at a time. Each row is that of the same few rows, so that
// every piece has known answers; products of other sizes may round otherwise.
TEST_F(Kernels, AnMlpOfManyRowsIsThatOfEachRow) {
  const at::NoGradGuard no_grad;
  const compat::Autocast autocast(compat::device("cuda"), /*enabled=*/true);
  constexpr std::int64_t kFew = 1000, kTimes = 70, kWidth = 128;
  const at::Tensor few = numbers({kFew, kWidth}, at::kBFloat16);
  const Mlp mlp{.up = numbers({4 * kWidth, kWidth}) / 8,
                .up_bias = numbers({4 * kWidth}),
                .down = numbers({kWidth, 4 * kWidth}) / 8,
                .down_bias = numbers({kWidth})};
  const auto expected = ops::mlp_gelu(few, mlp).value.to(at::kFloat);
  const auto got = ops::mlp_gelu(few.repeat({kTimes, 1}), mlp).value.to(at::kFloat);
  const at::Tensor off = (got.view({kTimes, kFew, kWidth}) - expected).abs();
  // Sums of 512 products near 1: bf16 rounds them, and the hidden rows before, to 8 bits.
  EXPECT_LT(off.max().item<float>(), expected.abs().max().item<float>() / 64);
  EXPECT_GT(expected.abs().max().item<float>(), 0.1f);
}

TEST_F(Kernels, ANormThatNobodyReadsHasNoGradient) {
  for (const bool layer_norm : {true, false})
    for (const std::int64_t rows : {50, 9000}) {
      SCOPED_TRACE(testing::Message() << layer_norm << " " << rows);
      const at::Tensor x = leaf(numbers({rows, 384}));
      const at::Tensor branch = leaf(numbers({rows, 384}, at::kBFloat16));
      const at::Tensor weight = layer_norm ? leaf(numbers({384})) : at::Tensor();
      const at::Tensor bias = layer_norm ? leaf(numbers({384})) : at::Tensor();
      const at::Tensor dy = numbers({rows, 384});
      const ResidualNorm got =
          cuda::residual_norm(x, {branch}, {weight, bias, kEps}, /*dropout=*/0);
      (got.y * dy).sum().backward();
      EXPECT_TRUE(x.grad().equal(dy));
      EXPECT_TRUE(branch.grad().equal(dy.to(at::kBFloat16)));
      if (!layer_norm) continue;
      EXPECT_EQ(weight.grad().abs().max().item<float>(), 0);
      EXPECT_EQ(bias.grad().abs().max().item<float>(), 0);
    }
}

TEST_F(Kernels, DropoutDropsItsShareAndItsGradientTheSame) {
  const double share = 0.3;
  const at::Tensor x = at::ones({4096, 384}, at::TensorOptions().device(at::kCUDA));
  const at::Tensor branch = leaf(at::ones_like(x, at::kBFloat16));
  const ResidualNorm got = cuda::residual_norm(x, {branch}, {{}, {}, kEps}, share);
  const at::Tensor added = got.y.detach() - 1;
  const at::Tensor kept = added > 0;
  // Shares of 1.6 million draws: standard deviations of 0.0004, and 0.0005 where they are scaled.
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
  const auto draw = [&] {
    return cuda::residual_norm(x, {branch}, {{}, {}, kEps}, share).y.detach();
  };
  EXPECT_FALSE(draw().equal(draw()));
  compat::seed_dropout(7);
  EXPECT_TRUE(draw().equal(got.y.detach()));
}

}  // namespace
}  // namespace mgdm::ops::cuda
