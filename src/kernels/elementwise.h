// Activation and dropout: LibTorch's on CUDA, faster ones for float tensors on the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mgdm::kernels {

// x / (1 + exp(-2 u)) with u = sqrt(2 / pi) (x + 0.044715 x^3): gelu in its form with tanh.
// Debian's LibTorch for arm64 takes tanh one number at a time, a sixth of a training step.
at::Tensor gelu(const at::Tensor& x);

// Each number is 0 with probability `dropped`, and divided by 1 - dropped otherwise. On the CPU
// LibTorch draws them one after the other, and keeps a mask.
at::Tensor dropout(const at::Tensor& x, double dropped);

// A fresh key for Keep (lanes.h), drawn from LibTorch's generator: seed_dropout decides it.
std::uint64_t dropout_key();

}  // namespace mgdm::kernels
