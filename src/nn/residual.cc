#include "nn/residual.h"

namespace mgdm::nn {

void Residual::add(Branch branch) {
  x_ = ops::residual(x_, pending_, dropout_);
  pending_ = std::move(branch);
}

at::Tensor Residual::normed(const Norm& norm) {
  auto [y, n] = ops::residual_norm(x_, pending_, norm, dropout_);
  x_ = std::move(y);
  pending_ = {};
  return n;
}

at::Tensor Residual::value() const { return ops::residual(x_, pending_, dropout_); }

}  // namespace mgdm::nn
