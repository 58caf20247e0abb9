#include "ops/mlp.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>

#include "ops/cpu/functions.h"
#include "ops/cuda/functions.h"
#include "ops/linear.h"

namespace mgdm::ops {

at::Tensor gelu(const at::Tensor& x) { return cpu::takes(x) ? cpu::gelu(x) : at::gelu(x, "tanh"); }

at::Tensor relu_squared(const at::Tensor& x) {
  const at::Tensor positive = at::relu(x);
  return positive * positive;  // a power would leave bf16 for fp32 under autocast
}

Branch mlp_gelu(const at::Tensor& x, const Mlp& mlp) {
  if (cuda::mlp_takes(x, mlp)) return cuda::mlp_gelu(x, mlp);
  return linear_branch(ops::gelu(linear(x, mlp.up, mlp.up_bias)), mlp.down, mlp.down_bias);
}

Branch mlp_relu_squared(const at::Tensor& x, const Mlp& mlp, const at::Tensor& stream) {
  if (cuda::mlp_takes(x, mlp))
    return cuda::mlp_relu_squared(
        x, mlp,
        cuda::stream_takes_products(stream) && !mlp.down_bias.defined() ? stream : at::Tensor());
  return linear_branch(ops::relu_squared(linear(x, mlp.up, mlp.up_bias)), mlp.down, mlp.down_bias);
}

}  // namespace mgdm::ops
