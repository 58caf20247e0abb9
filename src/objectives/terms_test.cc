#include "objectives/terms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <cmath>

#include "objectives/test_support.h"

namespace mgdm::objectives {
namespace {

TEST(CrossEntropy, IsMinusLogProbabilityOfTheTarget) {
  const Batch batch = small_batch(3);
  const at::Tensor logits = random_logits(batch);
  const at::Tensor loss = token_cross_entropy(logits, batch.tokens);
  for (std::int64_t b = 0; b < 3; ++b)
    for (std::int64_t n = 0; n < batch.tokens.size(1); ++n)
      EXPECT_NEAR(loss[b][n].item<double>(), plain_cross_entropy(logits, batch.tokens, b, n),
                  1e-12);
}

TEST(CrossEntropy, SmoothedTargetsAreADistribution) {
  const Batch batch = small_batch(2);
  const at::Tensor logits = random_logits(batch);
  const double s = 0.1;
  const at::Tensor loss = token_cross_entropy(logits, batch.tokens, s);
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t n = 0; n < batch.tokens.size(1); ++n) {
      const auto p = probabilities(logits, b, n);
      double expected = 0;
      for (std::size_t v = 0; v < p.size(); ++v) {
        const bool target = static_cast<std::int64_t>(v) == integer(batch.tokens, b, n);
        const double wanted = (target ? 1 - s : 0) + s / static_cast<double>(p.size());
        expected -= wanted * std::log(p[v]);
      }
      EXPECT_NEAR(loss[b][n].item<double>(), expected, 1e-12);
    }
}

TEST(CrossEntropy, OfHalfPrecisionLogitsIsComputedInFloat) {
  const Batch batch = small_batch(2);
  const at::Tensor half = random_logits(batch).to(at::kBFloat16);
  const at::Tensor loss = token_cross_entropy(half, batch.tokens);
  EXPECT_EQ(loss.scalar_type(), at::kFloat);
  EXPECT_TRUE(loss.equal(token_cross_entropy(half.to(at::kFloat), batch.tokens)));
}

TEST(CrossEntropy, TokenWeightIsTheFormula) {
  for (const double beta : {1.0, 2.0, 1.5})
    for (const double ce : {0.0, 1e-3, 0.7, 5.0})
      EXPECT_NEAR(token_weight(at::full({1}, ce, at::kDouble), 0.25, beta).item<double>(),
                  0.25 * std::pow(1 - std::exp(-ce), beta), 1e-12);
}

// A token predicted with certainty must not poison the gradient.
TEST(CrossEntropy, TokenWeightHasAFiniteGradientAtZero) {
  for (const double beta : {1.0, 1.5, 2.0}) {
    const at::Tensor ce = at::full({1}, 0.0).set_requires_grad(true);
    (token_weight(ce, 0.25, beta) * ce).sum().backward();
    EXPECT_EQ(ce.grad().item<double>(), 0);
  }
}

}  // namespace
}  // namespace mgdm::objectives
