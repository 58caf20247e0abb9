// mgdm's CPU loops for the operations in src/ops. These call takes() first and use LibTorch's
// operations if it returns false, as it always does in a build without Highway.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mgdm::ops::cpu {

// Whether these loops apply to tensors like x: float, on the CPU; never in a build without Highway.
bool takes(const at::Tensor& x);

// As in ops/layers.h. Debian's LibTorch for arm64 computes tanh one number at a time, which takes a
// sixth of a training step.
at::Tensor gelu(const at::Tensor& x);

// As in ops/residual_norm.h, for dropped > 0. LibTorch draws numbers one by one and stores a mask.
at::Tensor dropout(const at::Tensor& x, double dropped);

// A fresh key for Keep (ops/cpu/keep.h), drawn from LibTorch's generator: seed_dropout decides it.
std::uint64_t dropout_key();

// Attention in one pass per head, forward and backward. What compat/operations.h promises, for
// float tensors on the CPU.
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal,
                     double dropout, double scale);

// Whether they are faster than LibTorch's here: for floats in enough rows, on arm64. Two cores of a
// Neoverse V1 do 96 to 123 GFLOP/s by OpenBLAS and 130 by these; x86-64 was not measured.
bool linear_takes(const at::Tensor& x, const at::Tensor& weight);

// As in ops/layers.h.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace mgdm::ops::cpu
