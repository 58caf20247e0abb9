// Activation and dropout on the CPU, by the widest vectors that the processor has.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mgdm::ops::cpu {

// Whether what is here is for tensors like x: float, on the CPU; never in a build without Highway.
bool takes(const at::Tensor& x);

// As in ops/activation.h. Debian's LibTorch for arm64 takes tanh one number at a time, a sixth of a
// training step.
at::Tensor gelu(const at::Tensor& x);

// As in ops/residual_norm.h, dropped > 0. LibTorch draws one number after the other, and keeps a
// mask.
at::Tensor dropout(const at::Tensor& x, double dropped);

// A fresh key for Keep (keep.h), drawn from LibTorch's generator: seed_dropout decides it.
std::uint64_t dropout_key();

}  // namespace mgdm::ops::cpu
