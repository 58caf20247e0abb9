// RMS norm: the library's fused one where it has one.
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::compat {

// x / sqrt(mean(x^2) + eps) over the last dimension.
at::Tensor rms_norm(const at::Tensor& x, double eps);

}  // namespace mgdm::compat
