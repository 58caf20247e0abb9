#include "ops/activation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>

#include "ops/cpu/elementwise.h"

namespace mgdm::ops {

at::Tensor gelu(const at::Tensor& x) { return cpu::takes(x) ? cpu::gelu(x) : at::gelu(x, "tanh"); }

at::Tensor relu_squared(const at::Tensor& x) {
  const at::Tensor positive = at::relu(x);
  return positive * positive;  // a power would leave bf16 for fp32 under autocast
}

}  // namespace mgdm::ops
