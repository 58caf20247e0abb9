#include "nn/residual.h"

namespace mgdm::nn {

void Residual::add(Branch branch) {
  if (pending_.value.defined()) {
    x_ = value();
    kept_ = at::Tensor();
  }
  pending_ = std::move(branch);
}

at::Tensor Residual::normed(const Norm& norm) {
  auto [y, n] = kept_.defined() ? ops::residual_norm_of(x_, kept_, pending_, norm, dropout_)
                                : ops::residual_norm(x_, pending_, norm, dropout_);
  kept_ = at::Tensor();
  x_ = std::move(y);
  pending_ = {};
  return n;
}

at::Tensor Residual::value() const {
  const at::Tensor x = kept_.defined() ? x_.flatten(0, -2).index_select(0, kept_) : x_;
  return ops::residual(x, pending_, dropout_);
}

void Residual::keep(at::Tensor rows) {
  x_ = value();
  pending_ = {};
  kept_ = std::move(rows);
}

}  // namespace mgdm::nn
