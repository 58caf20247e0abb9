#include "nn/residual.h"

#include <ATen/core/grad_mode.h>

#include "base/error.h"

namespace mgdm::nn {

void Residual::add(Branch branch) {
  if (branch.is_stream) {
    MGDM_CHECK(dropout_ == 0 && !pending_.value.defined() && !picked_.defined());
    *this = Residual(std::move(branch.value), dropout_);
    return;
  }
  if (pending_.value.defined()) {
    x_ = value();
    picked_ = at::Tensor();
  }
  pending_ = std::move(branch);
}

at::Tensor Residual::normed(const Norm& norm) { return normed_twice(norm).first; }

std::pair<at::Tensor, at::Tensor> Residual::normed_twice(const Norm& norm) {
  const bool is_only_ours = !at::GradMode::is_enabled() && x_.use_count() == 1 &&
                            x_.storage().use_count() == 1;  // no view of another's
  auto [y, n, again] = picked_.defined()
                           ? ops::residual_norm_of(x_, picked_, pending_, norm, dropout_)
                           : ops::residual_norm(x_, pending_, norm, dropout_, is_only_ours);
  picked_ = at::Tensor();
  x_ = std::move(y);
  pending_ = {};
  return {n, again};
}

at::Tensor Residual::value() const {
  const at::Tensor x = picked_.defined() ? x_.flatten(0, -2).index_select(0, picked_) : x_;
  return ops::residual(x, pending_, dropout_);
}

void Residual::pick(at::Tensor rows) {
  x_ = value();
  pending_ = {};
  picked_ = std::move(rows);
}

}  // namespace mgdm::nn
