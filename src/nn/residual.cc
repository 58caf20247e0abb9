#include "nn/residual.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/layer_norm.h>

#include "compat/norm.h"
#include "kernels/cuda_kernels.h"
#include "kernels/elementwise.h"

namespace mgdm::nn {

void Residual::add(at::Tensor branch) {
  if (pending_.defined()) x_ = x_ + kernels::dropout(pending_, dropout_);
  pending_ = std::move(branch);
}

at::Tensor Residual::normed(const Norm& norm) {
  if (kernels::residual_norm_takes(x_)) {
    const auto [y, n] =
        kernels::residual_norm(x_, pending_, norm.weight, norm.bias, norm.eps, dropout_);
    x_ = y;
    pending_ = at::Tensor();
    return n;
  }
  if (pending_.defined()) add(at::Tensor());
  if (!norm.weight.defined()) return compat::rms_norm(x_, norm.eps);
  return at::layer_norm(x_, {x_.size(-1)}, norm.weight, norm.bias, norm.eps);
}

}  // namespace mgdm::nn
