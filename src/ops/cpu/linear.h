// Linear layers on the CPU, by the products of vectors/product.h, which the room runtime has, too.
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::ops::cpu {

// Whether these are better than LibTorch's for it: float, on the CPU, of an arm64 processor, where
// OpenBLAS does 96 to 123 GFLOP/s and these 130 (two cores of a Neoverse V1,
// bench/peers/README.md).
bool linear_takes(const at::Tensor& x, const at::Tensor& weight);

// As in ops/linear.h.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace mgdm::ops::cpu
