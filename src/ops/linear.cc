#include "ops/linear.h"

#include <ATen/ops/linear.h>

#include "ops/cpu/functions.h"
#include "ops/cuda/functions.h"
#include "ops/shared_weight.h"

namespace mgdm::ops {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (cuda::linear_takes(x, weight)) return cuda::linear(x, weight, bias);
  if (cpu::linear_takes(x, weight)) return cpu::linear(x, parameter_of(weight), bias);
  return at::linear(x, parameter_of(weight), bias);
}

Branch linear_branch(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const at::Tensor& stream) {
  if (cuda::linear_takes(x, weight)) {
    if (cuda::stream_takes_products(stream) && !bias.defined())
      return {cuda::linear(x, weight, {}, stream), {}, /*is_stream=*/true};
    return {cuda::linear(x, weight, {}), bias};
  }
  return {linear(x, weight, bias)};
}

}  // namespace mgdm::ops
