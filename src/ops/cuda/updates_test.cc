// The optimisers' kernels number by number against their formulas in double.
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

#include "compat/device.h"
#include "ops/cuda/functions.h"
#include "ops/cuda/test_support.h"

namespace mgdm::ops::cuda {
namespace {

using Tensors = std::vector<at::Tensor>;

constexpr double kBlockSums = 64 * kFloat;  // of what a sum over a block errs by

// Whole chunks of 8192 numbers and others, one number, more tensors than a launch takes; every
// other one is a vector, which does not decay.
const std::vector<std::vector<std::int64_t>> kSizes{
    {1, 7, 8192, 8193, 100003, 3, 16384}, {4}, std::vector<std::int64_t>(500, 1031)};

// Contiguous tensors of these sizes, which begin `shift` numbers behind an aligned place.
Tensors some(const std::vector<std::int64_t>& sizes, std::int64_t shift, double size = 1) {
  Tensors all;
  for (const std::int64_t count : sizes) {
    at::Tensor tensor = (numbers({count + shift}) * size).slice(0, shift);
    all.push_back(all.size() % 2 == 0 ? tensor.view({1, count}) : tensor);
  }
  return all;
}

Tensors exact(const Tensors& tensors) {
  Tensors all;
  for (const at::Tensor& tensor : tensors) all.push_back(tensor.to(at::kDouble));
  return all;
}

at::Tensor number(double value) {
  return at::full({}, value, at::TensorOptions().device(at::kCUDA).dtype(at::kFloat));
}

class UpdateKernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
    compat::seed_dropout(7);
  }
};

// All squares are positive, so that the errors of a sum are shares of it: some 80 additions of
// kFloat each, halved by the root.
TEST_F(UpdateKernels, ClipScalesAllToOneNorm) {
  for (const auto& sizes : kSizes)
    for (const std::int64_t shift : {0, 1})
      for (const double max_norm : {0.0, 1.0, 1e9}) {
        SCOPED_TRACE(testing::Message() << sizes.size() << " " << shift << " " << max_norm);
        const Tensors gradients = some(sizes, shift), before = exact(gradients);
        double squares = 0;
        for (const at::Tensor& g : before) squares += (g * g).sum().item<double>();
        const double norm = std::sqrt(squares);
        const at::Tensor got = clip(gradients, max_norm);
        EXPECT_EQ(got.dim(), 0);
        EXPECT_NEAR(got.item<double>(), norm, kBlockSums * norm);
        const double scale = max_norm > 0 ? std::min(1.0, max_norm / (norm + 1e-6)) : 1;
        const double error = scale < 1 ? kBlockSums + 4 * kFloat : 0;
        for (std::size_t i = 0; i < before.size(); ++i)
          expect_within(gradients[i], before[i] * scale, before[i].abs() * (scale * error), "g");
      }
}

TEST_F(UpdateKernels, ClipKeepsZerosAndShowsNaN) {
  const Tensors zeros{at::zeros({5}, at::kCUDA)};
  EXPECT_EQ(clip(zeros, 1).item<double>(), 0);
  EXPECT_TRUE(zeros[0].equal(at::zeros({5}, at::kCUDA)));
  const Tensors broken{at::full({5}, NAN, at::kCUDA), at::full({5}, 1.0f, at::kCUDA)};
  EXPECT_TRUE(std::isnan(clip(broken, 1).item<double>()));
  EXPECT_TRUE(broken[1].isnan().all().item<bool>());
}

// m is a difference, whose four roundings are of the size of what it is made of. v has four of its
// own size in each step, so its root half of them; rate, root, sum and quotient add ten.
TEST_F(UpdateKernels, AdamwEqualsTheFormula) {
  constexpr double kFactor = 0.75;  // exact in float
  for (const auto& sizes : kSizes)
    for (const std::int64_t shift : {0, 1})
      for (const double decay : {0.0, 0.1}) {
        SCOPED_TRACE(testing::Message() << sizes.size() << " " << shift << " " << decay);
        AdamwUpdate update{.values = some(sizes, shift, 0.5),
                           .gradients = some(sizes, shift, 0.01),
                           .means = some(sizes, shift, 0.01),
                           .squares = some(sizes, shift, 0.01),
                           .count = number(0),
                           .factor = number(kFactor),
                           .lr = 1e-2,
                           .beta1 = 0.9,
                           .beta2 = 0.999,
                           .eps = 1e-8,
                           .weight_decay = decay};
        for (at::Tensor& v : update.squares) v.mul_(v.clone());
        Tensors p = exact(update.values), m = exact(update.means), v = exact(update.squares);
        const Tensors gradients = exact(update.gradients);
        constexpr int kSteps = 4;
        for (int step = 0; step < kSteps; ++step) cuda::adamw(update);
        EXPECT_EQ(update.count.item<double>(), kSteps);
        const double lr = kFactor * update.lr;
        for (std::size_t i = 0; i < p.size(); ++i) {
          const at::Tensor& g = gradients[i];
          at::Tensor m_error = at::zeros_like(g), p_error = at::zeros_like(g);
          for (int step = 1; step <= kSteps; ++step) {
            if (p[i].dim() > 1) p[i] = p[i] * (1 - lr * decay);
            m_error = m_error + 4 * kFloat * (m[i].abs() + g.abs());
            m[i] = update.beta1 * m[i] + (1 - update.beta1) * g;
            v[i] = update.beta2 * v[i] + (1 - update.beta2) * g * g;
            const double rate = lr / (1 - std::pow(update.beta1, step));
            const at::Tensor root = (v[i] / (1 - std::pow(update.beta2, step))).sqrt() + update.eps;
            p[i] = p[i] - rate * m[i] / root;
            p_error = p_error + 4 * kFloat * p[i].abs() +
                      rate * (m_error + (10 + 2 * step) * kFloat * m[i].abs()) / root;
          }
          expect_within(update.means[i], m[i], m_error, "m");
          expect_within(update.squares[i], v[i], 4 * kSteps * kFloat * v[i], "v");
          expect_within(update.values[i], p[i], p_error, "p");
        }
      }
}

// Some roundings of fp32 of what each number is made of, and one of bf16 for x; the update is held
// against the x that was written.
TEST_F(UpdateKernels, MuonMovesMomentumAndValues) {
  constexpr double kMu = 0.875, kFactor = 0.75, kLr = 0.02, kDecay = 0.1;
  for (const std::int64_t rows : {1, 24, 384})
    for (const std::int64_t columns : {5, 384})
      for (const int count : {1, 3, 200}) {
        SCOPED_TRACE(testing::Message() << rows << " " << columns << " " << count);
        const auto draw = [&](double size) { return numbers({count, rows, columns}) * size; };
        const at::Tensor values = draw(0.5), momenta = draw(0.05), gradients = draw(0.01);
        const at::Tensor p = values.to(at::kDouble), m = momenta.to(at::kDouble);
        const at::Tensor turned = at::empty(values.sizes(), values.options().dtype(at::kBFloat16));
        at::Tensor g = gradients.to(at::kDouble);
        MuonMomentum first{.gradients = gradients.unbind(),
                           .momenta = momenta.unbind(),
                           .turned = turned.unbind(),
                           .momentum = kMu};
        first.gradients.back() = at::Tensor();  // counts as 0
        g.select(0, count - 1).zero_();
        cuda::muon_momentum(first);
        cuda::muon_update({.values = values.unbind(),
                           .turned = turned.unbind(),
                           .factor = number(kFactor),
                           .lr = kLr,
                           .weight_decay = kDecay});
        const at::Tensor moved = kMu * m + g, u = g + kMu * moved;
        const at::Tensor size = 2 * (g.abs() + m.abs());
        const at::Tensor norm = (u * u).sum({1, 2}, /*keepdim=*/true).sqrt() + 1e-7;
        const at::Tensor x = u / norm;
        expect_within(momenta, moved, 4 * kFloat * size, "m");
        expect_within(turned, x, 1.01 * (kBf16 * x.abs() + kBlockSums * (size / norm + x.abs())),
                      "x");
        const double ratio = static_cast<double>(rows) / static_cast<double>(columns);
        const at::Tensor step =
            kFactor * kLr * std::sqrt(std::max(1.0, ratio)) * turned.to(at::kDouble);
        expect_within(values, p * (1 - kFactor * kLr * kDecay) - step,
                      8 * kFloat * (p.abs() + step.abs()), "p");
      }
}

TEST_F(UpdateKernels, GiveTheSameBitsAgain) {
  const auto run = [] {
    compat::seed_dropout(7);
    const std::vector<std::int64_t> sizes{100003, 5, 9000};
    AdamwUpdate update{.values = some(sizes, 0),
                       .gradients = some(sizes, 0),
                       .means = some(sizes, 0),
                       .squares = some(sizes, 0, 0),
                       .count = number(0),
                       .factor = number(1),
                       .lr = 1e-2,
                       .beta1 = 0.9,
                       .beta2 = 0.999,
                       .eps = 1e-8,
                       .weight_decay = 0.1};
    clip(update.gradients, 1);
    cuda::adamw(update);
    return update.values[0];
  };
  EXPECT_TRUE(run().equal(run()));
}

TEST_F(UpdateKernels, TakeContiguousFloats) {
  const at::Tensor good = numbers({3, 4});
  EXPECT_TRUE(updates_take({good, at::Tensor()}));
  EXPECT_FALSE(updates_take({}));
  EXPECT_FALSE(updates_take({good, good.t()}));
  EXPECT_FALSE(updates_take({good, good.to(at::kBFloat16)}));
  EXPECT_FALSE(updates_take({good, good.cpu()}));
}

}  // namespace
}  // namespace mgdm::ops::cuda
