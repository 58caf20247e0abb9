// The layers of a network: embedding, linear (y = x W^T + b) and MLP.
#pragma once

#include <ATen/core/Tensor.h>

#include "ops/residual_norm.h"

namespace mgdm::ops {

// The embedding of a network's input: the sum of a row for the token, one for its position and, if
// there is a table, one for whether the position is frozen.
struct EmbeddingTables {
  at::Tensor tokens{};     // (V, C)
  at::Tensor positions{};  // (N, C): those of the positions shown
  at::Tensor frozen{};     // (2, C), or undefined
};

struct Shown {
  at::Tensor tokens{};   // (B, N) int64
  at::Tensor vectors{};  // (B, N, C) in place of the tokens' rows; undefined: the tokens
  at::Tensor frozen{};   // (B, N) bool; read where there is a table for it
};

// dropout(tokens[shown] + positions + frozen[shown]): (B, N, C).
at::Tensor embed(const EmbeddingTables& tables, const Shown& shown, double dropped);

// x / (1 + exp(-2 u)) with u = sqrt(2 / pi) (x + 0.044715 x^3): gelu in its form with tanh.
at::Tensor gelu(const at::Tensor& x);

// relu(x)^2.
at::Tensor relu_squared(const at::Tensor& x);

// A transformer's MLP: f(x U^T + u) D^T + d with an activation f.
struct Mlp {
  at::Tensor up{}, up_bias{};      // (H, C), and (H) or undefined
  at::Tensor down{}, down_bias{};  // (C, H), and (C) or undefined
};

// x (..., C) -> (..., C), to be added to a stream. A bf16 stream may be given, as for
// linear_branch().
Branch mlp_gelu(const at::Tensor& x, const Mlp& mlp);
Branch mlp_relu_squared(const at::Tensor& x, const Mlp& mlp, const at::Tensor& stream = {});

// x (..., I), weight (O, I), bias (O) or undefined -> (..., O).
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

// A linear layer whose output is added to a stream next. The bias is left to that addition if that
// is faster. Without a bias a bf16 stream may be given, to which the matmul adds its result if it
// can.
Branch linear_branch(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {},
                     const at::Tensor& stream = {});

}  // namespace mgdm::ops
