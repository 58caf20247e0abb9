#include "ops/linear.h"

#include <ATen/ops/linear.h>

#include "ops/activation.h"
#include "ops/cuda/functions.h"

namespace mgdm::ops {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (cuda::linear_takes(x, weight)) return cuda::linear(x, weight, bias);
  return at::linear(x, weight, bias);
}

Branch linear_branch(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (cuda::linear_takes(x, weight)) return {cuda::linear(x, weight, {}), bias};
  return {at::linear(x, weight, bias)};
}

at::Tensor linear_gelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (cuda::linear_takes(x, weight)) return cuda::linear_gelu(x, weight, bias);
  return ops::gelu(at::linear(x, weight, bias));
}

at::Tensor linear_relu_squared(const at::Tensor& x, const at::Tensor& weight,
                               const at::Tensor& bias) {
  if (cuda::linear_takes(x, weight)) return cuda::linear_relu_squared(x, weight, bias);
  return ops::relu_squared(at::linear(x, weight, bias));
}

}  // namespace mgdm::ops
