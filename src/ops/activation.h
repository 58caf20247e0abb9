// What stands between the two products of an MLP.
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::ops {

// x / (1 + exp(-2 u)) with u = sqrt(2 / pi) (x + 0.044715 x^3): gelu in its form with tanh.
at::Tensor gelu(const at::Tensor& x);

// relu(x)^2.
at::Tensor relu_squared(const at::Tensor& x);

}  // namespace mgdm::ops
