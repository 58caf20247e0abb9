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

}  // namespace mgdm::compat
