// A projection, and LoRA's two small matrices beside it where there are such (Hu et al., 2021).
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::nn {

struct Projection {
  at::Tensor weight;    // (O, I); frozen, perhaps in bf16, where there are
  at::Tensor down, up;  // A (R, I) and B (O, R), or undefined
  double scale = 0;     // alpha / R
};

// x (..., I) -> x W^T + scale (dropout(x) A^T) B^T, (..., O).
at::Tensor project(const at::Tensor& x, const Projection& projection, double dropout);

}  // namespace mgdm::nn
