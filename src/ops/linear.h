// The products of a network, y = x W^T + b.
#pragma once

#include <ATen/core/Tensor.h>

#include "ops/residual_norm.h"

namespace mgdm::ops {

// x (..., I), weight (O, I), bias (O) or undefined -> (..., O).
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

// The same for a product that is added to a stream next: where that adds the bias better, it is
// left to it. Without a bias a short stream may be given, which the product adds itself to where it
// can.
Branch linear_branch(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {},
                     const at::Tensor& stream = {});

}  // namespace mgdm::ops
