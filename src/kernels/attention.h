// Scaled dot-product attention by the best there is for the tensors at hand.
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::kernels {

// What compat/attention.h promises.
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal,
                     double dropout, double scale);

}  // namespace mgdm::kernels
