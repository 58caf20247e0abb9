// Helpers that the files *_function.cc share: tensors as the kernels take them. CUDA builds only.
#pragma once

#include <ATen/autocast_mode.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>

#include <initializer_list>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "compat/kernel_work.h"
#include "ops/cuda/launchers.h"
#include "ops/our_kernels.h"

namespace mgdm::ops::cuda {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// Whether mgdm's kernels apply: on CUDA, in bf16 mixed precision.
inline bool in_bf16(const at::Tensor& tensor) {
  return with_our_kernels() && tensor.is_cuda() && at::autocast::is_autocast_enabled(at::kCUDA) &&
         at::autocast::get_autocast_dtype(at::kCUDA) == at::kBFloat16;
}

inline bool is_bf16(const at::Tensor& tensor) { return tensor.scalar_type() == at::kBFloat16; }

inline bool is_bf16_rows(const at::Tensor& tensor) {
  return in_bf16(tensor) && is_bf16(tensor) && tensor.is_contiguous();
}

inline const float* floats(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr<float>() : nullptr;
}

inline const void* raw(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr() : nullptr;
}

inline std::optional<at::Tensor> optional(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

inline at::Tensor tensor_or_none(const std::optional<at::Tensor>& tensor) {
  return tensor.value_or(at::Tensor());
}

using compat::KernelWork;

// The bytes of tensors that a kernel reads or writes once, for KernelWork.
inline double bytes_of(std::initializer_list<at::Tensor> tensors) {
  double sum = 0;
  for (const at::Tensor& tensor : tensors)
    if (tensor.defined()) sum += static_cast<double>(tensor.nbytes());
  return sum;
}
inline double bytes_of(at::TensorList tensors) {
  double sum = 0;
  for (const at::Tensor& tensor : tensors) sum += bytes_of({tensor});
  return sum;
}

// LibTorch's generator, moved on as if four numbers had been drawn by every thread.
inline RandomState next_random_state() {
  auto* generator = at::get_generator_or_default<at::CUDAGeneratorImpl>(
      {}, at::cuda::detail::getDefaultCUDAGenerator());
  const std::lock_guard lock(generator->mutex_);
  const at::PhiloxCudaState state = generator->philox_cuda_state(4);
  if (!state.captured_) return {nullptr, nullptr, state.seed_.val, state.offset_.val};
  const auto place = [](const auto* pointer) {
    return reinterpret_cast<const std::uint64_t*>(pointer);
  };
  return {place(state.seed_.ptr), place(state.offset_.ptr), 0, state.offset_intragraph_};
}

}  // namespace mgdm::ops::cuda
