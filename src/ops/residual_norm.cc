#include "ops/residual_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/layer_norm.h>

#include "compat/operations.h"
#include "ops/cpu/functions.h"
#include "ops/cuda/functions.h"

namespace mgdm::ops {

at::Tensor dropout(const at::Tensor& x, double dropped) {
  if (dropped <= 0) return x;
  return cpu::takes(x) ? cpu::dropout(x, dropped) : at::dropout(x, dropped, /*train=*/true);
}

std::vector<at::Tensor> short_streams(const at::Tensor& x, std::int64_t count) {
  if (cuda::short_streams_take(x)) return cuda::short_streams(x, count);
  return std::vector<at::Tensor>(static_cast<std::size_t>(count), x);
}

at::Tensor residual(const at::Tensor& x, const Branch& branch, double dropped) {
  if (!branch.value.defined()) return x;
  const at::Tensor added = branch.bias.defined() ? branch.value + branch.bias : branch.value;
  return x + dropout(added, dropped);
}

ResidualNorm residual_norm(const at::Tensor& x, const Branch& branch, const Norm& norm,
                           double dropped, bool may_overwrite_x) {
  if (cuda::residual_norm_takes(x, branch, norm))
    return may_overwrite_x && dropped <= 0 ? cuda::residual_norm_onto(x, branch, norm)
                                           : cuda::residual_norm(x, branch, norm, dropped);
  const at::Tensor y = residual(x, branch, dropped);
  const at::Tensor n = norm.weight.defined()
                           ? at::layer_norm(y, {y.size(-1)}, norm.weight, norm.bias, norm.eps)
                           : compat::rms_norm(y, norm.eps);
  return {y, n, n};
}

ResidualNorm residual_norm_of(const at::Tensor& x, const at::Tensor& picked, const Branch& branch,
                              const Norm& norm, double dropped) {
  if (!at::GradMode::is_enabled() && dropped <= 0 && branch.value.defined() &&
      cuda::residual_norm_takes(x, branch, norm))
    return cuda::residual_norm_of(x, picked, branch, norm);
  return residual_norm(x.flatten(0, -2).index_select(0, picked), branch, norm, dropped);
}

}  // namespace mgdm::ops
