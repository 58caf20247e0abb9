// The loss of one token, and MGDM's weight for it.
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::objectives {

// -log p(target) for each position of logits (B, N, V) and targets (B, N) int64: (B, N), in float32
// whatever the logits are (double stays double, for tests). With label smoothing s the target
// distribution is (1 - s) onehot + s / V.
at::Tensor token_cross_entropy(const at::Tensor& logits, const at::Tensor& targets,
                               double label_smoothing = 0);

// The token reweighting of paper eq. 8, v = alpha (1 - p)^beta with p = exp(-CE): hard tokens weigh
// more. The gradient flows through it, as in the released code; beta >= 1 keeps that finite at
// p = 1. On a GPU Objective::fused_loss computes the same in a kernel (ops/head_loss.h); another
// form of the weight must not use that kernel.
at::Tensor token_weight(const at::Tensor& cross_entropy, double alpha, double beta);

}  // namespace mgdm::objectives
