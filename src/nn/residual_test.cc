// The stream against its formula in double, one row at a time.
#include "nn/residual.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "compat/device.h"
#include "nn/parameters.h"
#include "nn/tensor_bytes.h"

namespace mgdm::nn {
namespace {

constexpr std::int64_t kRows = 2, kColumns = 5, kWidth = 24;
constexpr double kEps = 1e-3;  // large enough to be seen

using Numbers = std::vector<double>;

Numbers numbers(const at::Tensor& tensor) {
  const at::Tensor host = host_copy(tensor).to(at::kDouble);
  return {host.data_ptr<double>(), host.data_ptr<double>() + host.numel()};
}

// Normal numbers of that spread, different in every call.
class Draws {
 public:
  at::Tensor operator()(at::IntArrayRef shape, double std) {
    return parameters_.add("", shape, {std}).detach();
  }
  at::Tensor rows(double std) { return (*this)({kRows, kColumns, kWidth}, std); }

 private:
  Parameters parameters_{5};
};

// Without a weight x / sqrt(mean(x^2) + eps), else (x - mean) / sqrt(variance + eps) weight + bias.
Numbers plain_norm(Numbers x, const Norm& norm) {
  const bool centred = norm.weight.defined();
  const Numbers weight = centred ? numbers(norm.weight) : Numbers();
  const Numbers bias = centred ? numbers(norm.bias) : Numbers();
  const std::size_t width = kWidth;
  for (std::size_t row = 0; row < x.size(); row += width) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; centred && i < width; ++i) mean += x[row + i] / kWidth;
    for (std::size_t i = 0; i < width; ++i) {
      x[row + i] -= mean;
      square += x[row + i] * x[row + i] / kWidth;
    }
    for (std::size_t i = 0; i < width; ++i) {
      x[row + i] /= std::sqrt(square + norm.eps);
      if (centred) x[row + i] = x[row + i] * weight[i] + bias[i];
    }
  }
  return x;
}

void expect_near(const at::Tensor& got, const Numbers& expected) {
  const Numbers values = numbers(got);
  ASSERT_EQ(values.size(), expected.size());
  // Numbers up to 10 in float after sums of 24: some ten roundings of 6e-8 each.
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(values[i], expected[i], 1e-5) << i;
}

std::vector<Norm> norms(Draws& draw) {
  return {{{}, {}, kEps}, {draw({kWidth}, 1), draw({kWidth}, 1), kEps}};
}

TEST(Residual, GoesOnWithTheRowsThatAreKept) {
  Draws draw;
  const at::Tensor kept = at::tensor({7, 0, 3}, at::kLong);
  for (const Norm& norm : norms(draw)) {
    const at::Tensor x = draw.rows(1), before = draw.rows(1), branch = draw({3, kWidth}, 1);
    Residual stream(x, /*dropout=*/0);
    stream.add({before});
    stream.pick(kept);
    expect_near(stream.value(), numbers((x + before).flatten(0, 1).index_select(0, kept)));
    stream.add({branch});
    const Numbers sum = numbers((x + before).flatten(0, 1).index_select(0, kept) + branch);
    expect_near(stream.normed(norm), plain_norm(sum, norm));
    expect_near(stream.value(), sum);
    stream.add({branch});
    expect_near(stream.value(),
                numbers((x + before).flatten(0, 1).index_select(0, kept) + branch + branch));
  }
}

TEST(Residual, IsTheSumOfItsBranchesNormed) {
  Draws draw;
  for (const Norm& norm : norms(draw)) {
    const at::Tensor x = draw.rows(1);
    Residual stream(x, /*dropout=*/0);
    Numbers sum = numbers(x);
    expect_near(stream.normed(norm), plain_norm(sum, norm));
    // One branch before the next norm, and several.
    for (const int branches : {1, 1, 3}) {
      for (int i = 0; i < branches; ++i) {
        const at::Tensor branch = draw.rows(0.5);
        stream.add({branch});
        const Numbers added = numbers(branch);
        for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += added[j];
      }
      expect_near(stream.normed(norm), plain_norm(sum, norm));
      expect_near(stream.normed(norm), plain_norm(sum, norm));  // reading changes nothing
    }
  }
}

TEST(Residual, LeavesItsInputsAlone) {
  Draws draw;
  const at::Tensor x = draw.rows(1), branch = draw.rows(1);
  const Numbers before_x = numbers(x), before_branch = numbers(branch);
  Residual stream(x, /*dropout=*/0);
  stream.add({branch});
  stream.normed({{}, {}, kEps});
  stream.add({branch});
  stream.normed({{}, {}, kEps});
  EXPECT_EQ(numbers(x), before_x);
  EXPECT_EQ(numbers(branch), before_branch);
}

// A dropped number adds 0 and a kept one 1 / (1 - share) of itself; the stream is never dropped.
TEST(Residual, DropsFromBranchesOnly) {
  constexpr double kShare = 0.25;
  compat::seed_dropout(3);
  const at::Tensor ones = at::ones({kRows, 1000, kWidth});
  Residual kept(ones, kShare);
  expect_near(kept.normed({{}, {}, 0}), Numbers(static_cast<std::size_t>(ones.numel()), 1));

  Residual stream(at::zeros_like(ones), kShare);
  stream.add({ones});
  const Numbers got = numbers(stream.normed({{}, {}, kEps}));
  std::size_t dropped = 0;
  const std::size_t width = kWidth;
  for (std::size_t row = 0; row < got.size(); row += width) {
    Numbers y;
    for (std::size_t i = 0; i < width; ++i) y.push_back(got[row + i] == 0 ? 0 : 1 / (1 - kShare));
    const Numbers expected = plain_norm(y, {{}, {}, kEps});
    for (std::size_t i = 0; i < width; ++i) {
      ASSERT_NEAR(got[row + i], expected[i], 1e-5);
      dropped += y[i] == 0;
    }
  }
  // Five standard deviations of a share of n draws.
  const auto n = static_cast<double>(got.size());
  EXPECT_NEAR(static_cast<double>(dropped) / n, kShare, 5 * std::sqrt(kShare * (1 - kShare) / n));
}

// d/dx of sum(c norm(x + branch)), by central differences of the plain formula in double.
TEST(Residual, HasTheGradientOfTheFormula) {
  Draws draw;
  for (const Norm& norm : norms(draw)) {
    const at::Tensor x = draw.rows(1).set_requires_grad(true);
    const at::Tensor branch = draw.rows(1).set_requires_grad(true);
    const at::Tensor factors = draw.rows(1);
    Residual stream(x, /*dropout=*/0);
    stream.add({branch});
    (stream.normed(norm) * factors).sum().backward();
    const Numbers c = numbers(factors), dx = numbers(x.grad()), dbranch = numbers(branch.grad());
    Numbers y = numbers(x.detach() + branch.detach());
    const auto value = [&] {
      const Numbers normed = plain_norm(y, norm);
      double sum = 0;
      for (std::size_t i = 0; i < y.size(); ++i) sum += c[i] * normed[i];
      return sum;
    };
    for (std::size_t i = 0; i < y.size(); i += 7) {
      constexpr double kStep = 1e-5;
      const double at_i = y[i];
      y[i] = at_i + kStep;
      const double above = value();
      y[i] = at_i - kStep;
      const double below = value();
      y[i] = at_i;
      // The differences err by 1e-9; the gradients are sums of some 30 floats below 10.
      const double expected = (above - below) / (2 * kStep);
      EXPECT_NEAR(dx[i], expected, 1e-4);
      EXPECT_NEAR(dbranch[i], expected, 1e-4);
    }
  }
}

}  // namespace
}  // namespace mgdm::nn
