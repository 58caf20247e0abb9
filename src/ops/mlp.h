// A transformer's MLP: f(x U^T + u) D^T + d with an activation f.
#pragma once

#include <ATen/core/Tensor.h>

#include "ops/residual_norm.h"

namespace mgdm::ops {

// x / (1 + exp(-2 u)) with u = sqrt(2 / pi) (x + 0.044715 x^3): gelu in its form with tanh.
at::Tensor gelu(const at::Tensor& x);

// relu(x)^2.
at::Tensor relu_squared(const at::Tensor& x);

struct Mlp {
  at::Tensor up{}, up_bias{};      // (H, C), and (H) or undefined
  at::Tensor down{}, down_bias{};  // (C, H), and (C) or undefined
};

// x (..., C) -> (..., C), to be added to a stream. A bf16 stream may be given, as for
// linear_branch().
Branch mlp_gelu(const at::Tensor& x, const Mlp& mlp);
Branch mlp_relu_squared(const at::Tensor& x, const Mlp& mlp, const at::Tensor& stream = {});

}  // namespace mgdm::ops
