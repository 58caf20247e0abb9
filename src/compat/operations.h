// Operations that have other names in some versions of LibTorch, or are missing there. Each uses
// the library's fused kernel if there is one.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace mgdm::compat {

// softmax(scale q k^T) v over q (B, H, N, D), k and v (B, H, M, D). `causal` lets position n of the
// last N of M positions see positions up to its own. `dropout` applies to the attention weights.
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal,
                     double dropout, double scale);

// x / sqrt(mean(x^2) + eps) over the last dimension.
at::Tensor rms_norm(const at::Tensor& x, double eps);

// Multiplies every tensor by `factor`, a number in a tensor.
void multiply_all(std::vector<at::Tensor>& tensors, const at::Tensor& factor);

// Moves every tensor by `share` of the way to its target.
void lerp_all(std::vector<at::Tensor>& tensors, const std::vector<at::Tensor>& targets,
              double share);

// A step of AdamW (training/optimizer.h) of some parameters. `count`, a () float, is the step's
// number from 1, and `lr` a () float.
struct AdamwStep {
  std::vector<at::Tensor> values{}, gradients{}, means{}, squares{};
  at::Tensor count{}, lr{};
  double beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0;
};

// Takes the step by LibTorch's kernel for all parameters at once, on CUDA; elsewhere it returns
// false and does nothing.
bool fused_adamw(AdamwStep& step);

}  // namespace mgdm::compat
