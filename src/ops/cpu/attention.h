// Attention on the CPU in one pass per head, forward and backward.
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::ops::cpu {

// What compat/attention.h promises, for float tensors on the CPU.
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal,
                     double dropout, double scale);

}  // namespace mgdm::ops::cpu
