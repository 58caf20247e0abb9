// Operations on many tensors at once: a few kernels where LibTorch has them, else a loop.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace mgdm::compat {

// Each times `factor`, a number in a tensor.
void multiply_all(std::vector<at::Tensor>& tensors, const at::Tensor& factor);

// Each moved by `share` of the way to its target.
void lerp_all(std::vector<at::Tensor>& tensors, const std::vector<at::Tensor>& targets,
              double share);

// AdamW without weight decay, as one kernel over all tensors.
struct FusedAdamw {
  std::vector<at::Tensor> values, gradients, means, squares;
  at::Tensor count;  // () float: this step's number
  at::Tensor lr;     // () float
  double beta1 = 0, beta2 = 0, eps = 0;
};
bool has_fused_adamw(c10::Device device);
void fused_adamw(FusedAdamw& step);

}  // namespace mgdm::compat
