#include "objectives/cross_entropy.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/pow.h>

#include "base/error.h"

namespace mgdm::objectives {

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
