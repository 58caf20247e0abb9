#include "objectives/categories.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/log_softmax.h>

#include "objectives/objective.h"

namespace mgdm::objectives {

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

}  // namespace mgdm::objectives
