#include "training/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compat/test_support.h"
#include "formats/test_support.h"
#include "training/ema.h"
#include "training/muon.h"
#include "training/test_support.h"

namespace mgdm::training {
namespace {

using nn::Parameters;
using nn::Role;

// Two matrices of one shape, two of others, of which one has a side in common with them, a vector.
Parameters some_parameters(c10::Device device = c10::Device(c10::kCPU), std::uint64_t seed = 1) {
  Parameters parameters(seed);
  parameters.add("a", {16, 8}, {0.5}, Role::kMatrix);
  parameters.add("b", {16, 8}, {0.5}, Role::kMatrix);
  parameters.add("c", {8, 24}, {0.5}, Role::kMatrix);
  parameters.add("d", {5}, {0.5});
  parameters.to(device);
  return parameters;
}

// A gradient that changes from step to step: sin(step + i) and a pull to 0.
void set_gradients(const Parameters& parameters, int step) {
  for (const nn::Parameter& parameter : parameters.all()) {
    at::Tensor value = parameter.value;
    const at::Tensor wave = at::arange(value.numel(), value.options().requires_grad(false));
    value.mutable_grad() = (wave + step).sin().view(value.sizes()) + value.detach() * 0.1;
  }
}

std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor host = nn::host_copy(tensor).to(at::kDouble);
  return {host.data_ptr<double>(), host.data_ptr<double>() + host.numel()};
}

OptimizerSettings lively() {
  OptimizerSettings settings;
  settings.lr = 0.05;
  settings.beta2 = 0.99;
  settings.weight_decay = 0.1;
  return settings;
}

TEST(Adamw, EqualsTheFormula) {
  const OptimizerSettings s = lively();
  for (const c10::Device device : compat::devices()) {
    const Parameters parameters = some_parameters(device);
    Adamw optimizer(s, parameters.all());
    std::vector<std::vector<double>> p, m, v;
    for (const nn::Parameter& parameter : parameters.all()) {
      p.push_back(numbers(parameter.value));
      m.emplace_back(p.back().size());
      v.emplace_back(p.back().size());
    }
    for (int step = 1; step <= 20; ++step) {
      set_gradients(parameters, step);
      const double factor = 1.0 / step;
      for (std::size_t i = 0; i < p.size(); ++i) {
        const std::vector<double> g = numbers(parameters.all()[i].value.grad());
        const double decay = parameters.all()[i].value.dim() > 1 ? s.weight_decay : 0;
        for (std::size_t j = 0; j < g.size(); ++j) {
          p[i][j] -= factor * s.lr * decay * p[i][j];
          m[i][j] = s.beta1 * m[i][j] + (1 - s.beta1) * g[j];
          v[i][j] = s.beta2 * v[i][j] + (1 - s.beta2) * g[j] * g[j];
          const double mean = m[i][j] / (1 - std::pow(s.beta1, step));
          const double square = v[i][j] / (1 - std::pow(s.beta2, step));
          p[i][j] -= factor * s.lr * mean / (std::sqrt(square) + s.eps);
        }
      }
      optimizer.step(factor);
      // Steps of at most 0.05, each with a relative error of some 2^-23.
      for (std::size_t i = 0; i < p.size(); ++i) {
        const std::vector<double> got = numbers(parameters.all()[i].value);
        for (std::size_t j = 0; j < got.size(); ++j) ASSERT_NEAR(got[j], p[i][j], 2e-6);
      }
    }
  }
}

TEST(Adamw, LeavesWhatHasNoGradient) {
  const Parameters parameters = some_parameters();
  Adamw optimizer(lively(), parameters.all());
  set_gradients(parameters, 0);
  at::Tensor untouched = parameters.all()[3].value;
  untouched.mutable_grad() = at::Tensor();
  const at::Tensor before = nn::host_copy(untouched);
  optimizer.step(1.0);
  EXPECT_TRUE(at::equal(before, untouched));
  optimizer.zero_grad();
  for (const nn::Parameter& parameter : parameters.all())
    EXPECT_FALSE(parameter.value.grad().defined());
}

// X (R, C) by plain loops in double, as the recipe says it.
using Matrix = std::vector<std::vector<double>>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[0].size(); ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

Matrix transposed(const Matrix& a) {
  Matrix t(a[0].size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[0].size(); ++j) t[j][i] = a[i][j];
  return t;
}

Matrix slow_orthogonalize(Matrix x) {
  double squares = 0;
  for (const auto& row : x)
    for (const double value : row) squares += value * value;
  for (auto& row : x)
    for (double& value : row) value /= std::sqrt(squares) + 1e-7;
  for (int step = 0; step < 5; ++step) {
    const Matrix a = product(x, transposed(x)), ax = product(a, x), aax = product(a, ax);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < x[0].size(); ++j)
        x[i][j] = 3.4445 * x[i][j] - 4.7750 * ax[i][j] + 2.0315 * aax[i][j];
  }
  return x;
}

Matrix matrix(const at::Tensor& tensor) {
  const std::vector<double> flat = numbers(tensor);
  Matrix m(static_cast<std::size_t>(tensor.size(0)));
  const auto columns = static_cast<std::size_t>(tensor.size(1));
  for (std::size_t i = 0; i < flat.size(); ++i) m[i / columns].push_back(flat[i]);
  return m;
}

TEST(Muon, EqualsTheFormula) {
  OptimizerSettings s = lively();
  s.optimizer = "muon";
  for (const c10::Device device : compat::devices()) {
    const Parameters parameters = some_parameters(device);
    const std::vector<nn::Parameter> matrices(parameters.all().begin(),
                                              parameters.all().begin() + 3);
    Muon optimizer(s, matrices);
    std::vector<Matrix> p, m;
    for (const nn::Parameter& parameter : matrices) {
      p.push_back(matrix(parameter.value));
      m.emplace_back(p.back().size(), std::vector<double>(p.back()[0].size()));
    }
    // On CUDA fifteen products round to bf16 (2^-9 of entries up to 1), and the polynomial's slope,
    // up to 3.4, carries their errors on: 15 * 3.4 * 2^-9.
    const double tolerance = device.is_cuda() ? 0.1 * s.muon_lr : 1e-6;
    for (int step = 1; step <= 5; ++step) {
      set_gradients(parameters, step);
      const double factor = 1.0 / step;
      for (std::size_t k = 0; k < p.size(); ++k) {
        const Matrix g = matrix(matrices[k].value.grad());
        Matrix u = g;
        for (std::size_t i = 0; i < g.size(); ++i)
          for (std::size_t j = 0; j < g[0].size(); ++j) {
            m[k][i][j] = s.momentum * m[k][i][j] + g[i][j];
            u[i][j] = g[i][j] + s.momentum * m[k][i][j];
          }
        u = slow_orthogonalize(u);
        const double lr = factor * s.muon_lr;
        const double scale = std::sqrt(
            std::max(1.0, static_cast<double>(g.size()) / static_cast<double>(g[0].size())));
        for (std::size_t i = 0; i < g.size(); ++i)
          for (std::size_t j = 0; j < g[0].size(); ++j)
            p[k][i][j] -= lr * s.weight_decay * p[k][i][j] + lr * scale * u[i][j];
      }
      optimizer.step(factor);
      for (std::size_t k = 0; k < p.size(); ++k) {
        const Matrix got = matrix(matrices[k].value);
        for (std::size_t i = 0; i < got.size(); ++i)
          for (std::size_t j = 0; j < got[0].size(); ++j)
            ASSERT_NEAR(got[i][j], p[k][i][j], step * tolerance);
      }
    }
  }
}

TEST(Muon, SingularValuesComeNearOne) {
  Parameters parameters(3);
  const at::Tensor tall = parameters.add("tall", {2, 64, 16}, {1}).detach();
  const at::Tensor wide = parameters.add("wide", {2, 16, 64}, {1}).detach();
  for (const at::Tensor& x : {tall, wide}) {
    const at::Tensor y = orthogonalize(x * 1e-3);  // the scale must not matter
    EXPECT_EQ(y.sizes(), x.sizes());
    for (const double value : numbers(at::linalg_svdvals(y))) {
      EXPECT_GT(value, 0.6);
      EXPECT_LT(value, 1.3);
    }
  }
  EXPECT_TRUE(at::equal(orthogonalize(at::zeros({1, 4, 4})), at::zeros({1, 4, 4})));
}

// |x - target|^2 / 2 for every tensor; the gradient is x - target.
double distance_after(const OptimizerSettings& settings, int steps) {
  const Parameters parameters = some_parameters(), targets = some_parameters({c10::kCPU}, 2);
  const auto optimizer = make_optimizer(settings, parameters.all());
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < parameters.all().size(); ++i) {
      at::Tensor value = parameters.all()[i].value;
      value.mutable_grad() = value.detach() - targets.all()[i].value.detach();
    }
    optimizer->step(learning_rate_factor(settings, step, static_cast<double>(step) / steps));
    optimizer->zero_grad();
  }
  double squares = 0;
  for (std::size_t i = 0; i < parameters.all().size(); ++i)
    squares += (parameters.all()[i].value - targets.all()[i].value).square().sum().item<double>();
  return std::sqrt(squares);
}

TEST(Optimizers, FindTheBottomOfABowl) {
  for (const std::string name : {"adamw", "muon"}) {
    OptimizerSettings settings;
    settings.optimizer = name;
    settings.lr = settings.muon_lr = 0.05;
    settings.schedule = "linear";
    EXPECT_GT(distance_after(settings, 0), 1);
    EXPECT_LT(distance_after(settings, 300), 0.01) << name;
  }
}

TEST(Optimizers, GoOnBitForBitFromAFile) {
  const formats::TemporaryFolder folder;
  const auto& path = folder.path();
  for (const std::string name : {"adamw", "muon"}) {
    OptimizerSettings settings = lively();
    settings.optimizer = name;
    const Parameters first = some_parameters(), second = some_parameters({c10::kCPU}, 9);
    const auto one = make_optimizer(settings, first.all());
    const auto two = make_optimizer(settings, second.all());
    const auto run = [&](Optimizer& optimizer, const Parameters& parameters, int begin, int end) {
      for (int step = begin; step < end; ++step) {
        set_gradients(parameters, step);
        optimizer.step(1.0 / (step + 1));
      }
    };
    run(*one, first, 0, 5);
    one->save(path);
    {
      const at::NoGradGuard no_grad;
      for (std::size_t i = 0; i < first.all().size(); ++i) {
        at::Tensor value = second.all()[i].value;
        value.copy_(first.all()[i].value);
      }
    }
    two->load(path);
    run(*one, first, 5, 10);
    run(*two, second, 5, 10);
    for (std::size_t i = 0; i < first.all().size(); ++i)
      EXPECT_TRUE(at::equal(first.all()[i].value, second.all()[i].value));
    for (std::size_t i = 0; i < one->state().size(); ++i)
      EXPECT_TRUE(at::equal(one->state()[i].value, two->state()[i].value));
  }
}

TEST(Optimizers, RefuseTheStateOfAnother) {
  const formats::TemporaryFolder folder;
  const auto& path = folder.path();
  const Parameters parameters = some_parameters();
  OptimizerSettings settings;
  const auto adamw = make_optimizer(settings, parameters.all());
  settings.optimizer = "muon";
  const auto muon = make_optimizer(settings, parameters.all());
  muon->save(path);
  const std::string error = error_of([&] { adamw->load(path); });
  EXPECT_CONTAINS(error, path.string());
  EXPECT_CONTAINS(error, "adamw.mean.a");
}

TEST(Optimizers, TakeTheFactorFromATensor) {
  const OptimizerSettings settings = lively();
  const Parameters one = some_parameters(), two = some_parameters();
  Adamw left(settings, one.all()), right(settings, two.all());
  set_gradients(one, 0);
  set_gradients(two, 0);
  left.step(0.5);
  right.step(at::full({}, 0.5, at::kFloat));
  for (std::size_t i = 0; i < one.all().size(); ++i)
    EXPECT_TRUE(at::equal(one.all()[i].value, two.all()[i].value));
}

TEST(Clip, BoundsTheNormOfAll) {
  for (const c10::Device device : compat::devices()) {
    const Parameters parameters = some_parameters(device);
    const auto norm = [&] {
      double squares = 0;
      for (const nn::Parameter& parameter : parameters.all())
        for (const double g : numbers(parameter.value.grad())) squares += g * g;
      return std::sqrt(squares);
    };
    set_gradients(parameters, 1);
    const double before = norm();
    ASSERT_GT(before, 2);
    EXPECT_NEAR(clip_gradients(parameters.all(), 0).item<double>(), before, 1e-5);
    EXPECT_NEAR(norm(), before, 1e-12);
    EXPECT_NEAR(clip_gradients(parameters.all(), 100).item<double>(), before, 1e-5);
    EXPECT_NEAR(norm(), before, 1e-12);
    EXPECT_NEAR(clip_gradients(parameters.all(), 2).item<double>(), before, 1e-5);
    EXPECT_NEAR(norm(), 2, 1e-5);
  }
}

TEST(Clip, TakesNoGradientsAndZeros) {
  const Parameters parameters = some_parameters();
  EXPECT_EQ(clip_gradients(parameters.all(), 1).item<double>(), 0);
  at::Tensor value = parameters.all()[0].value;
  value.mutable_grad() = at::zeros({16, 8});
  EXPECT_EQ(clip_gradients(parameters.all(), 1).item<double>(), 0);
  EXPECT_TRUE(at::equal(value.grad(), at::zeros({16, 8})));
}

TEST(Schedule, KnownPoints) {
  OptimizerSettings s;
  EXPECT_DOUBLE_EQ(learning_rate_factor(s, 0, 0), 1);
  EXPECT_DOUBLE_EQ(learning_rate_factor(s, 500, 0.5), 0.5);
  EXPECT_NEAR(learning_rate_factor(s, 750, 0.75), 0.5 - std::sqrt(0.125), 1e-12);
  EXPECT_NEAR(learning_rate_factor(s, 1000, 1), 0, 1e-12);
  EXPECT_NEAR(learning_rate_factor(s, 2000, 2), 0, 1e-12);
  s.schedule = "constant";
  EXPECT_DOUBLE_EQ(learning_rate_factor(s, 999, 0.999), 1);
  s.schedule = "linear";
  s.warmup_steps = 200;
  s.decay_share = 0.6;
  EXPECT_DOUBLE_EQ(learning_rate_factor(s, 0, 0), 1.0 / 200);
  EXPECT_DOUBLE_EQ(learning_rate_factor(s, 99, 0.005), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate_factor(s, 199, 0.01), 1);
  EXPECT_DOUBLE_EQ(learning_rate_factor(s, 8000, 0.4), 1);
  EXPECT_DOUBLE_EQ(learning_rate_factor(s, 14000, 0.7), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate_factor(s, 20000, 1), 0);
  s.decay_share = 0;
  EXPECT_DOUBLE_EQ(learning_rate_factor(s, 20000, 1), 1);
}

TEST(Ema, FollowsAndSwaps) {
  const Parameters parameters = some_parameters();
  at::Tensor value = parameters.all()[3].value;
  const double start = numbers(value)[0];
  Ema ema(parameters.all(), 0.9);
  double average = start;
  for (int step = 0; step < 10; ++step) {
    const at::NoGradGuard no_grad;
    value.add_(1);
    ema.update();
    average = 0.9 * average + 0.1 * (start + step + 1);
  }
  const void* const address = value.data_ptr();
  {
    const Ema::InUse in_use(ema);
    EXPECT_NEAR(numbers(value)[0], average, 1e-5);
    EXPECT_EQ(value.data_ptr(), address);
    EXPECT_TRUE(value.requires_grad());
  }
  EXPECT_NEAR(numbers(value)[0], start + 10, 1e-5);

  ema.restart();
  EXPECT_NEAR(numbers(ema.averages()[3])[0], start + 10, 1e-5);
}

TEST(OptimizerSettings, AreSettings) {
  OptimizerSettings settings;
  config::Fields fields(settings);
  fields.set("optimizer=muon");
  fields.set("beta2=0.95");
  EXPECT_EQ(settings.beta2, 0.95);
  EXPECT_THROW(fields.set("schedule=cosin"), UsageError);
}

}  // namespace
}  // namespace mgdm::training
