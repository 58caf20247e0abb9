// The one file that hands LibTorch's tensors to the kernels and tells autograd their gradients.
#ifdef MGDM_CUDA

#include "ops/cuda/functions.h"

#include <ATen/autocast_mode.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>

#include <mutex>
#include <optional>

#include "base/error.h"
#include "ops/cuda/launchers.h"

namespace mgdm::ops::cuda {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

bool in_bf16(const at::Tensor& tensor) {
  return tensor.is_cuda() && at::autocast::is_autocast_enabled(at::kCUDA) &&
         at::autocast::get_autocast_dtype(at::kCUDA) == at::kBFloat16;
}

const float* floats(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr<float>() : nullptr;
}

const void* raw(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.const_data_ptr() : nullptr;
}

// LibTorch's generator, moved on as if four numbers had been drawn by every thread.
RandomState next_random_state() {
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

// A kernel's arguments beyond its tensors, kept from forward to backward.
struct RowSettings : torch::CustomClassHolder {
  float eps = 0, dropout = 0;
  bool has_branch = false, branch_is_bf16 = false, centred = false;
  RandomState random;
};

struct ResidualNormFunction : Function<ResidualNormFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x,
                               const std::optional<at::Tensor>& maybe_branch,
                               const std::optional<at::Tensor>& maybe_weight,
                               const std::optional<at::Tensor>& maybe_bias, double eps,
                               double dropout) {
    const at::Tensor branch = maybe_branch.value_or(at::Tensor());
    const at::Tensor weight = maybe_weight.value_or(at::Tensor());
    const at::Tensor bias = maybe_bias.value_or(at::Tensor());
    const c10::cuda::CUDAGuard guard(x.device());
    MGDM_CHECK(x.is_contiguous() && x.scalar_type() == at::kFloat);
    MGDM_CHECK(!branch.defined() || branch.is_contiguous());
    auto settings = c10::make_intrusive<RowSettings>();
    settings->eps = static_cast<float>(eps);
    settings->dropout = static_cast<float>(dropout);
    settings->has_branch = branch.defined();
    settings->branch_is_bf16 = branch.defined() && branch.scalar_type() == at::kBFloat16;
    settings->centred = weight.defined();
    if (dropout > 0 && branch.defined()) settings->random = next_random_state();

    const at::Tensor y = branch.defined() ? at::empty_like(x) : x;
    at::Tensor n = at::empty_like(x, x.options().dtype(at::kBFloat16));
    launch_residual_norm({.x = floats(x),
                          .branch = raw(branch),
                          .branch_is_bf16 = settings->branch_is_bf16,
                          .weight = floats(weight),
                          .bias = floats(bias),
                          .y = branch.defined() ? y.data_ptr<float>() : nullptr,
                          .n = n.data_ptr(),
                          .rows = x.numel() / x.size(-1),
                          .columns = x.size(-1),
                          .eps = settings->eps,
                          .dropout = settings->dropout,
                          .random = settings->random},
                         c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    context->save_for_backward({y, weight});
    context->saved_data["settings"] = c10::IValue::make_capsule(settings);
    context->set_materialize_grads(false);
    if (!branch.defined()) return {n};
    return {y, n};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto settings = c10::static_intrusive_pointer_cast<RowSettings>(
        context->saved_data["settings"].toCapsule());
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &y = saved[0], &weight = saved[1];
    const c10::cuda::CUDAGuard guard(y.device());
    const at::Tensor dy = settings->has_branch ? gradients[0] : at::Tensor();
    const at::Tensor dn = gradients.back();
    const at::Tensor dy_rows = dy.defined() ? dy.contiguous() : dy;
    // A norm whose predictions do not count (loop_weights = "last") has no gradient.
    const at::Tensor dn_rows =
        dn.defined() ? dn.contiguous() : at::zeros_like(y, y.options().dtype(at::kBFloat16));
    at::Tensor dx = at::empty_like(y);
    // Without dropout and in fp32 the branch has the same gradient as x.
    const bool same = settings->has_branch && !settings->branch_is_bf16 && settings->dropout == 0;
    at::Tensor dbranch;
    if (settings->has_branch && !same)
      dbranch = at::empty_like(
          y, y.options().dtype(settings->branch_is_bf16 ? at::kBFloat16 : at::kFloat));
    at::Tensor parts;  // of dweight and dbias
    if (settings->centred) parts = at::empty({2, kResidualNormParts, y.size(-1)}, y.options());
    launch_residual_norm_backward(
        {.dy = floats(dy_rows),
         .dn = raw(dn_rows),
         .y = floats(y),
         .weight = floats(weight),
         .dx = dx.data_ptr<float>(),
         .dbranch = dbranch.defined() ? dbranch.data_ptr() : nullptr,
         .branch_is_bf16 = settings->branch_is_bf16,
         .dweight_parts = parts.defined() ? parts.data_ptr<float>() : nullptr,
         .dbias_parts = parts.defined() ? parts.select(0, 1).data_ptr<float>() : nullptr,
         .rows = y.numel() / y.size(-1),
         .columns = y.size(-1),
         .eps = settings->eps,
         .dropout = settings->dropout,
         .random = settings->random},
        c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    at::Tensor dweight, dbias;
    if (settings->centred) {
      const at::Tensor sums = parts.sum(1);
      dweight = sums.select(0, 0);
      dbias = sums.select(0, 1);
    }
    return {dx, same ? dx : dbranch, dweight, dbias, {}, {}};
  }
};

struct HeadNormFunction : Function<HeadNormFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& qkv, double eps) {
    const c10::cuda::CUDAGuard guard(qkv.device());
    MGDM_CHECK(qkv.is_contiguous());
    at::Tensor out = at::empty_like(qkv);
    launch_head_norm(qkv.const_data_ptr(), out.data_ptr(), qkv.size(0) * qkv.size(1), qkv.size(3),
                     qkv.size(4), static_cast<float>(eps), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    context->save_for_backward({qkv});
    context->saved_data["eps"] = eps;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor qkv = context->get_saved_variables()[0];
    const c10::cuda::CUDAGuard guard(qkv.device());
    const at::Tensor dout = gradients[0].contiguous();
    at::Tensor dqkv = at::empty_like(qkv);
    launch_head_norm_backward(dout.const_data_ptr(), qkv.const_data_ptr(), dqkv.data_ptr(),
                              qkv.size(0) * qkv.size(1), qkv.size(3), qkv.size(4),
                              static_cast<float>(context->saved_data["eps"].toDouble()),
                              c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {dqkv, {}};
  }
};

struct ReluSquaredFunction : Function<ReluSquaredFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty_like(x);
    launch_relu_squared(x.const_data_ptr(), out.data_ptr(), x.numel(),
                        c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    context->save_for_backward({x});
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor x = context->get_saved_variables()[0];
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dy = gradients[0].contiguous();
    at::Tensor dx = at::empty_like(x);
    launch_relu_squared_backward(dy.const_data_ptr(), x.const_data_ptr(), dx.data_ptr(), x.numel(),
                                 c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {dx};
  }
};

}  // namespace

at::Tensor uniform(std::uint64_t seed, Purpose purpose, const at::Tensor& items,
                   const at::Tensor& step, std::int64_t columns) {
  MGDM_CHECK(items.is_cuda() && step.device() == items.device());
  const c10::cuda::CUDAGuard guard(items.device());
  const at::Tensor row_items = items.contiguous();
  at::Tensor out = at::empty({items.size(0), columns}, items.options().dtype(at::kFloat));
  launch_uniform(out.data_ptr<float>(), row_items.const_data_ptr<std::int64_t>(),
                 step.const_data_ptr<std::int64_t>(), items.size(0), columns, seed,
                 static_cast<std::uint32_t>(purpose), c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

bool residual_norm_takes(const at::Tensor& x) {
  return in_bf16(x) && x.scalar_type() == at::kFloat && x.is_contiguous() &&
         residual_norm_takes(x.size(-1));
}

ResidualNorm residual_norm(const at::Tensor& x, const at::Tensor& branch, const Norm& norm,
                           double dropped) {
  const auto optional = [](const at::Tensor& tensor) {
    return tensor.defined() ? std::optional(tensor) : std::nullopt;
  };
  const variable_list outputs = ResidualNormFunction::apply(
      x, optional(branch), optional(norm.weight), optional(norm.bias), norm.eps, dropped);
  return {branch.defined() ? outputs.front() : x, outputs.back()};
}

bool head_norm_takes(const at::Tensor& qkv) {
  return in_bf16(qkv) && qkv.scalar_type() == at::kBFloat16 && qkv.is_contiguous() &&
         head_norm_takes(qkv.size(-1));
}

at::Tensor head_norm(const at::Tensor& qkv, double eps) {
  return HeadNormFunction::apply(qkv, eps);
}

bool relu_squared_takes(const at::Tensor& x) {
  return in_bf16(x) && x.scalar_type() == at::kBFloat16 && x.is_contiguous() && x.numel() % 4 == 0;
}

at::Tensor relu_squared(const at::Tensor& x) { return ReluSquaredFunction::apply(x); }

}  // namespace mgdm::ops::cuda

#endif
