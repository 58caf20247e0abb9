// Linear layers on the CPU, by the products of vectors/product.h, which the room runtime has, too.
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::ops::cpu {

// Whether they are faster than LibTorch's here: for floats in enough rows, on arm64. Two cores of a
// Neoverse V1 do 96 to 123 GFLOP/s by OpenBLAS and 130 by these; x86-64 was not measured.
bool linear_takes(const at::Tensor& x, const at::Tensor& weight);

// As in ops/linear.h.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace mgdm::ops::cpu
