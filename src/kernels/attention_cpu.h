// Attention on the CPU in one pass per head, forward and backward.
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::kernels {

// As attention() of attention.h, for float tensors on the CPU.
at::Tensor attention_cpu(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal,
                         double dropout, double scale);

}  // namespace mgdm::kernels
