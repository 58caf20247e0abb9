#include "nn/residual.h"

#include <ATen/TensorOperators.h>

namespace mgdm::nn {

void Residual::add(at::Tensor branch) {
  if (pending_.defined()) x_ = x_ + ops::dropout(pending_, dropout_);
  pending_ = std::move(branch);
}

at::Tensor Residual::normed(const Norm& norm) {
  auto [y, n] = ops::residual_norm(x_, pending_, norm, dropout_);
  x_ = std::move(y);
  pending_ = at::Tensor();
  return n;
}

}  // namespace mgdm::nn
