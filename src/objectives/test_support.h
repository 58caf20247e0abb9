// Small batches and slow, obvious versions of what the tests check.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/random.h"
#include "objectives/objective.h"

namespace mgdm::objectives {

constexpr std::int64_t kSep = data::kSep;
constexpr std::int64_t kTestVocabulary = 9;

// `rows` examples, items first_item, ...: 3 input tokens, [SEP], 2 to 5 output tokens, [EOS], [PAD]
// up to 12.
inline Batch small_batch(std::int64_t rows, std::int64_t first_item = 0, std::int64_t step = 0) {
  constexpr std::int64_t kLength = 12;
  Batch batch{at::full({rows, kLength}, kPad, at::kLong),
              at::full({rows, kLength}, false, at::kBool), at::empty({rows}, at::kLong),
              at::full({}, step, at::kLong)};
  auto tokens = batch.tokens.accessor<std::int64_t, 2>();
  auto frozen = batch.frozen.accessor<bool, 2>();
  for (std::int64_t b = 0; b < rows; ++b) {
    batch.items.accessor<std::int64_t, 1>()[b] = first_item + b;
    Stream random(1, Purpose::kTest, static_cast<std::uint32_t>(first_item + b));
    const int end = 4 + random.between(2, 5);
    for (int n = 0; n < end; ++n)
      tokens[b][n] = random.between(kFirstOrdinary, kTestVocabulary - 1);
    for (int n = 0; n < 4; ++n) frozen[b][n] = true;
    tokens[b][3] = kSep;
    tokens[b][end] = kEos;
  }
  return batch;
}

// Uniform over [-2, 2].
inline at::Tensor random_logits(std::int64_t rows, std::int64_t length, std::int64_t vocabulary,
                                std::uint32_t item = 0) {
  at::Tensor logits = at::empty({rows, length, vocabulary}, at::kDouble);
  Stream random(2, Purpose::kTest, item);
  for (std::int64_t i = 0; i < logits.numel(); ++i)
    logits.data_ptr<double>()[i] = 4 * static_cast<double>(random.uniform()) - 2;
  return logits;
}

inline at::Tensor random_logits(const Batch& batch, std::uint32_t item = 0) {
  return random_logits(batch.tokens.size(0), batch.tokens.size(1), kTestVocabulary, item);
}

inline std::int64_t integer(const at::Tensor& tensor, std::int64_t b, std::int64_t n) {
  return tensor.accessor<std::int64_t, 2>()[b][n];
}

inline bool flag(const at::Tensor& tensor, std::int64_t b, std::int64_t n) {
  return tensor.accessor<bool, 2>()[b][n];
}

// softmax(logits[b][n])
inline std::vector<double> probabilities(const at::Tensor& logits, std::int64_t b, std::int64_t n) {
  const auto values = logits.accessor<double, 3>();
  std::vector<double> p;
  double sum = 0;
  for (std::int64_t v = 0; v < logits.size(2); ++v) sum += std::exp(values[b][n][v]);
  for (std::int64_t v = 0; v < logits.size(2); ++v) p.push_back(std::exp(values[b][n][v]) / sum);
  return p;
}

inline double plain_cross_entropy(const at::Tensor& logits, const at::Tensor& targets,
                                  std::int64_t b, std::int64_t n) {
  return -std::log(probabilities(logits, b, n)[static_cast<std::size_t>(integer(targets, b, n))]);
}

// A forward process by its transition matrices, everything by the definitions (paper appendix).
// Steps count 1..T here, as in the paper.
class PlainDiffusion {
 public:
  using Matrix = std::vector<std::vector<double>>;

  // transition(t)[i][j] = q(x_t = j | x_{t-1} = i)
  PlainDiffusion(int steps, int categories, const std::function<Matrix(int)>& transition) {
    Matrix product(static_cast<std::size_t>(categories),
                   std::vector<double>(static_cast<std::size_t>(categories)));
    for (std::size_t i = 0; i < product.size(); ++i) product[i][i] = 1;
    step_.push_back(product);  // not used
    marginal_.push_back(product);
    for (int t = 1; t <= steps; ++t) {
      step_.push_back(transition(t));
      marginal_.push_back(times(marginal_.back(), step_.back()));
    }
  }

  // q(x_t = . | x_0)
  const std::vector<double>& marginal(std::size_t t, std::size_t x_0) const {
    return marginal_[t][x_0];
  }

  // q(x_{t-1} | x_t, x_0) by Bayes' rule, x_0 drawn from a distribution.
  std::vector<double> posterior(std::size_t t, std::size_t x_t,
                                const std::vector<double>& x_0) const {
    std::vector<double> out(x_0.size());
    double sum = 0;
    for (std::size_t before = 0; before < out.size(); ++before) {
      for (std::size_t start = 0; start < x_0.size(); ++start)
        out[before] += x_0[start] * marginal_[t - 1][start][before] * step_[t][before][x_t];
      sum += out[before];
    }
    for (double& value : out) value /= sum;
    return out;
  }

  // KL[q(x_{t-1} | x_t, x_0) || q(x_{t-1} | x_t, f)]
  double divergence(std::size_t t, std::size_t x_t, std::size_t x_0,
                    const std::vector<double>& f) const {
    std::vector<double> certain(f.size());
    certain[x_0] = 1;
    const std::vector<double> q = posterior(t, x_t, certain), p = posterior(t, x_t, f);
    double sum = 0;
    for (std::size_t i = 0; i < q.size(); ++i)
      if (q[i] > 0) sum += q[i] * std::log(q[i] / p[i]);
    return sum;
  }

 private:
  static Matrix times(const Matrix& a, const Matrix& b) {
    Matrix c(a.size(), std::vector<double>(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < a.size(); ++j)
        for (std::size_t k = 0; k < a.size(); ++k) c[i][j] += a[i][k] * b[k][j];
    return c;
  }

  std::vector<Matrix> step_, marginal_;
};

// beta_t of the linear schedule alpha_t = 1 - t/T, t = 1..T.
inline double linear_beta(int t, int steps) { return 1.0 / (steps - t + 1); }

// The gradient of `loss` by autograd against central differences. In double with h = 1e-5 these err
// by about h^2 |loss'''| + 1e-16 |loss| / h, under 1e-8 for the losses here (of size 1 to 100).
inline void expect_gradient(const at::Tensor& logits,
                            const std::function<at::Tensor(const at::Tensor&)>& loss) {
  const at::Tensor variable = logits.clone().set_requires_grad(true);
  loss(variable).backward();
  ASSERT_TRUE(variable.grad().defined());
  const at::Tensor gradient = variable.grad().contiguous();
  constexpr double kH = 1e-5;
  for (std::int64_t i = 0; i < logits.numel(); ++i) {
    const auto at_offset = [&](double offset) {
      const at::Tensor moved = logits.clone();
      moved.data_ptr<double>()[i] += offset;
      return loss(moved).item<double>();
    };
    const double expected = (at_offset(kH) - at_offset(-kH)) / (2 * kH);
    ASSERT_NEAR(gradient.data_ptr<double>()[i], expected, 1e-7 * (1 + std::abs(expected))) << i;
  }
}

}  // namespace mgdm::objectives
