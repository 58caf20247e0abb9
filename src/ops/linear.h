// The linear layers of a network, y = x W^T + b.
#pragma once

#include <ATen/core/Tensor.h>

#include "ops/residual_norm.h"

namespace mgdm::ops {

// x (..., I), weight (O, I), bias (O) or undefined -> (..., O).
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

// A linear layer whose output is added to a stream next. The bias is left to that addition if that
// is faster. Without a bias a bf16 stream may be given, to which the matmul adds its result if it
// can.
Branch linear_branch(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {},
                     const at::Tensor& stream = {});

}  // namespace mgdm::ops
