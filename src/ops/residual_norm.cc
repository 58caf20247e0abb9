#include "ops/residual_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/layer_norm.h>

#include "compat/norm.h"
#include "ops/cpu/elementwise.h"
#include "ops/cuda/functions.h"

namespace mgdm::ops {

at::Tensor dropout(const at::Tensor& x, double dropped) {
  if (dropped <= 0) return x;
  return cpu::takes(x) ? cpu::dropout(x, dropped) : at::dropout(x, dropped, /*train=*/true);
}

ResidualNorm residual_norm(const at::Tensor& x, const at::Tensor& branch, const Norm& norm,
                           double dropped) {
  if (cuda::residual_norm_takes(x)) return cuda::residual_norm(x, branch, norm, dropped);
  const at::Tensor y = branch.defined() ? x + dropout(branch, dropped) : x;
  if (!norm.weight.defined()) return {y, compat::rms_norm(y, norm.eps)};
  return {y, at::layer_norm(y, {y.size(-1)}, norm.weight, norm.bias, norm.eps)};
}

}  // namespace mgdm::ops
