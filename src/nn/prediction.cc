#include "nn/prediction.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>

#include <utility>

#include "compat/device.h"

namespace mgdm::nn {

Prediction::Prediction(at::Tensor hidden, at::Tensor head, bool shift)
    : hidden_(std::move(hidden)), head_(std::move(head)), shift_(shift) {}

Prediction::Prediction(at::Tensor logits) : logits_(std::move(logits)) {}

at::Tensor Prediction::logits() const {
  if (logits_.defined()) return logits_;
  const at::Tensor own = apply_head(hidden_, head_);
  if (!shift_) return own;
  return at::cat({own.slice(1, 0, 1), own.slice(1, 0, -1)}, 1);
}

at::Tensor apply_head(const at::Tensor& hidden, const at::Tensor& table) {
  const compat::FullPrecision full(table.device());
  return at::linear(hidden.to(table.scalar_type()), table);
}

}  // namespace mgdm::nn
