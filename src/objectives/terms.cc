#include "objectives/terms.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/rsub.h>

#include "base/error.h"
#include "objectives/objective.h"

namespace mgdm::objectives {
namespace {

// (B) -> (B, 1) float32; exact below 2^24.
at::Tensor column(const at::Tensor& integers) { return integers.to(at::kFloat).unsqueeze(1); }

}  // namespace

at::Tensor below(const at::Tensor& u, std::int64_t n) {
  return at::floor(u * static_cast<double>(n)).to(at::kLong);
}

at::Tensor chosen(const at::Tensor& u, const at::Tensor& numerator, const at::Tensor& denominator) {
  return u * column(denominator) < column(numerator);
}

at::Tensor chosen(const at::Tensor& u, const at::Tensor& numerator, std::int64_t denominator) {
  return u * static_cast<double>(denominator) < column(numerator);
}

at::Tensor sequence_weight(const std::string& name, const at::Tensor& t, std::int64_t steps) {
  const at::Tensor level = t.to(at::kFloat);
  if (name == "original") return at::reciprocal(level + 1);
  if (name == "linear") return at::rsub(level, steps);  // T - t, without a copy from the CPU
  return at::ones_like(level);
}

at::Tensor token_of_category(const at::Tensor& category) {
  return (category + kNoCategory).masked_fill(category == 0, kPad).masked_fill(category == 1, kEos);
}

at::Tensor category_of_token(const at::Tensor& token) {
  return (token - kNoCategory).clamp_min(0).masked_fill(token == kEos, 1);
}

at::Tensor category_log_probs(const at::Tensor& logits) {
  const at::ScalarType type = logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor of_categories =
      at::cat({logits.slice(-1, kPad, kPad + 1), logits.slice(-1, kEos, kEos + 1),
               logits.slice(-1, kFirstOrdinary)},
              -1);
  return at::log_softmax(of_categories, -1, type);
}

at::Tensor token_cross_entropy(const at::Tensor& logits, const at::Tensor& targets,
                               double label_smoothing) {
  MGDM_CHECK(logits.dim() == 3 && targets.sizes() == logits.sizes().slice(0, 2));
  const at::ScalarType type = logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor log_p = at::log_softmax(logits, -1, type);  // (B, N, V)
  const at::Tensor cross_entropy =
      at::nll_loss(log_p.flatten(0, 1), targets.flatten(), /*weight=*/{}, at::Reduction::None)
          .view_as(targets);
  if (label_smoothing == 0) return cross_entropy;
  return (1 - label_smoothing) * cross_entropy - label_smoothing * log_p.mean(-1);
}

at::Tensor token_weight(const at::Tensor& cross_entropy, double alpha, double beta) {
  const at::Tensor error = -at::expm1(-cross_entropy);  // 1 - p, exact for small CE too
  return alpha * (beta == 1 ? error : at::pow(error, beta));
}

}  // namespace mgdm::objectives
