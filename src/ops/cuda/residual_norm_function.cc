#ifdef MGDM_CUDA

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/function.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/cuda/functions.h"
#include "ops/cuda/tensors.h"

namespace mgdm::ops::cuda {
namespace {

// A kernel's arguments beyond its tensors, kept from forward to backward.
struct RowSettings : torch::CustomClassHolder {
  float eps = 0, dropout = 0;
  bool stream_is_bf16 = false, has_branch = false, branch_is_bf16 = false;
  bool has_branch_bias = false, centred = false;
  RandomState random;
};

// What there are kernels for: a stream of floats, or with an RMS norm one in bf16.
void check_kind(const at::Tensor& x, const at::Tensor& branch, const at::Tensor& weight) {
  MGDM_CHECK(x.is_contiguous() && (!branch.defined() || branch.is_contiguous()));
  MGDM_CHECK(is_bf16(x) ? !weight.defined() && (!branch.defined() || is_bf16(branch))
                        : x.scalar_type() == at::kFloat);
}

struct ResidualNormFunction : Function<ResidualNormFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x,
                               const std::optional<at::Tensor>& maybe_branch,
                               const std::optional<at::Tensor>& maybe_branch_bias,
                               const std::optional<at::Tensor>& maybe_weight,
                               const std::optional<at::Tensor>& maybe_bias, double eps,
                               double dropout, bool for_backward) {
    const at::Tensor branch = tensor_or_none(maybe_branch);
    const at::Tensor branch_bias = tensor_or_none(maybe_branch_bias);
    const at::Tensor weight = tensor_or_none(maybe_weight);
    const at::Tensor bias = tensor_or_none(maybe_bias);
    const c10::cuda::CUDAGuard guard(x.device());
    check_kind(x, branch, weight);
    auto settings = c10::make_intrusive<RowSettings>();
    settings->stream_is_bf16 = is_bf16(x);
    settings->eps = static_cast<float>(eps);
    settings->dropout = static_cast<float>(dropout);
    settings->has_branch = branch.defined();
    settings->branch_is_bf16 = branch.defined() && is_bf16(branch);
    settings->has_branch_bias = branch_bias.defined();
    settings->centred = weight.defined();
    if (dropout > 0 && branch.defined()) settings->random = next_random_state();

    const at::Tensor y = branch.defined() ? at::empty_like(x) : x;
    at::Tensor n = at::empty_like(x, x.options().dtype(at::kBFloat16));
    const std::int64_t rows = x.numel() / x.size(-1);
    // The backward pass needs n and the scale of an RMS norm, and y of a layer norm.
    at::Tensor scale;
    if (for_backward && !settings->centred)
      scale = at::empty({rows}, x.options().dtype(at::kFloat));
    const KernelWork work("residual + norm, forward",
                          bytes_of({x, branch, n, scale}) + (branch.defined() ? bytes_of({y}) : 0));
    launch_residual_norm({.x = raw(x),
                          .stream_is_bf16 = settings->stream_is_bf16,
                          .branch = raw(branch),
                          .branch_is_bf16 = settings->branch_is_bf16,
                          .branch_bias = floats(branch_bias),
                          .weight = floats(weight),
                          .bias = floats(bias),
                          .y = branch.defined() ? y.data_ptr() : nullptr,
                          .n = n.data_ptr(),
                          .scale = scale.defined() ? scale.data_ptr<float>() : nullptr,
                          .rows = rows,
                          .columns = x.size(-1),
                          .eps = settings->eps,
                          .dropout = settings->dropout,
                          .random = settings->random},
                         c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    context->save_for_backward({settings->centred ? y : n, scale, weight});
    context->saved_data["settings"] = c10::IValue::make_capsule(settings);
    context->set_materialize_grads(false);
    return {y, n, n.detach()};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto settings = c10::static_intrusive_pointer_cast<RowSettings>(
        context->saved_data["settings"].toCapsule());
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &kept = saved[0], &scale = saved[1], &weight = saved[2];
    const c10::cuda::CUDAGuard guard(kept.device());
    const at::Tensor &dy = gradients[0], &dn = gradients[1];
    const at::Tensor dy_rows = dy.defined() ? dy.contiguous() : dy;
    // A norm whose predictions do not count (loop_weights = "last") has no gradient.
    at::Tensor dn_rows = dn.defined() ? dn.contiguous() : dn;
    at::Tensor again = gradients[2].defined() ? gradients[2].contiguous() : gradients[2];
    if (!dn_rows.defined()) std::swap(dn_rows, again);
    // The pass reads a second dn in the place of dy.
    if (again.defined() && (dy.defined() || !settings->stream_is_bf16)) {
      dn_rows = dn_rows + again;
      again = at::Tensor();
    }
    const at::TensorOptions in_float = kept.options().dtype(at::kFloat);
    at::Tensor dx =
        at::empty_like(kept, in_float.dtype(settings->stream_is_bf16 ? at::kBFloat16 : at::kFloat));
    // Without dropout a branch of the stream's type has the same gradient as x.
    const bool same = settings->has_branch && settings->dropout == 0 &&
                      settings->branch_is_bf16 == settings->stream_is_bf16;
    at::Tensor dbranch;
    if (settings->has_branch && !same)
      dbranch = at::empty_like(
          kept, in_float.dtype(settings->branch_is_bf16 ? at::kBFloat16 : at::kFloat));
    at::Tensor dparameters, parts;
    if (settings->centred) {
      dparameters = at::empty({3, kept.size(-1)}, in_float);
      parts = at::empty({residual_norm_parts(), 3, kept.size(-1)}, in_float);
    }
    const KernelWork work("residual + norm, backward",
                          bytes_of({dy_rows, dx, dbranch, again}) +
                              (dn_rows.defined() ? bytes_of({dn_rows, kept, scale}) : 0));
    launch_residual_norm_backward(
        {.dy = raw(dy_rows),
         .stream_is_bf16 = settings->stream_is_bf16,
         .dn = raw(dn_rows),
         .dn_again = raw(again),
         .kept = raw(kept),
         .scale = floats(scale),
         .weight = floats(weight),
         .dx = dx.data_ptr(),
         .dbranch = dbranch.defined() ? dbranch.data_ptr() : nullptr,
         .branch_is_bf16 = settings->branch_is_bf16,
         .dparameters = settings->centred ? dparameters.data_ptr<float>() : nullptr,
         .parts = settings->centred ? parts.data_ptr<float>() : nullptr,
         .rows = kept.numel() / kept.size(-1),
         .columns = kept.size(-1),
         .eps = settings->eps,
         .dropout = settings->dropout,
         .random = settings->random},
        c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    at::Tensor dweight, dbias, dbranch_bias;
    if (settings->centred) {
      dweight = dparameters.select(0, 0);
      dbias = dparameters.select(0, 1);
      if (settings->has_branch_bias) dbranch_bias = dparameters.select(0, 2);
    }
    return {dx, same ? dx : dbranch, dbranch_bias, dweight, dbias, {}, {}, {}};
  }
};

// For x, or its rows `picked`, into y.
ResidualNorm without_gradients(const at::Tensor& x, const at::Tensor& picked, const Branch& branch,
                               const Norm& norm, const at::Tensor& y) {
  const c10::cuda::CUDAGuard guard(x.device());
  const bool has_branch = branch.value.defined();
  check_kind(x, branch.value, norm.weight);
  MGDM_CHECK(!has_branch || (branch.value.is_contiguous() && branch.value.numel() == y.numel()));
  at::Tensor n = at::empty_like(y, y.options().dtype(at::kBFloat16));
  const KernelWork work("residual + norm, forward",
                        bytes_of({picked, y, branch.value, n}) + (has_branch ? bytes_of({y}) : 0));
  launch_residual_norm(
      {.x = raw(x),
       .stream_is_bf16 = is_bf16(x),
       .branch = raw(branch.value),
       .branch_is_bf16 = has_branch && is_bf16(branch.value),
       .branch_bias = floats(branch.bias),
       .weight = floats(norm.weight),
       .bias = floats(norm.bias),
       .y = has_branch ? y.data_ptr() : nullptr,
       .n = n.data_ptr(),
       .scale = nullptr,
       .rows = y.numel() / y.size(-1),
       .columns = y.size(-1),
       .eps = static_cast<float>(norm.eps),
       .dropout = 0,
       .random = {},
       .picked = picked.defined() ? picked.const_data_ptr<std::int64_t>() : nullptr},
      c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {y, n, n};
}

// Behind the streams that began with x: hands it the sum of their gradients.
struct ShortStreams : torch::autograd::Node {
  explicit ShortStreams(const at::Tensor& x)
      : Node(torch::autograd::collect_next_edges(x)), sizes(x.sizes().vec()), there(x.options()) {}

  variable_list apply(variable_list&& gradients) override {
    std::vector<at::Tensor> parts;
    for (const at::Tensor& gradient : gradients)
      if (gradient.defined()) parts.push_back(gradient.contiguous());
    if (parts.empty()) return {at::Tensor()};
    const c10::cuda::CUDAGuard guard(there.device());
    at::Tensor sum = at::empty(sizes, there);
    const KernelWork work("gradients of streams", bytes_of(parts) + bytes_of({sum}));
    for (std::size_t first = 0; first < parts.size(); first += kMostStreams) {
      StreamSum some{.out = sum.data_ptr<float>(), .adds = first > 0, .numbers = sum.numel()};
      while (some.count < kMostStreams &&
             first + static_cast<std::size_t>(some.count) < parts.size()) {
        some.parts[some.count] = raw(parts[first + static_cast<std::size_t>(some.count)]);
        ++some.count;
      }
      launch_sum_streams(some, c10::cuda::getCurrentCUDAStream());
      C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return {std::move(sum)};
  }

  std::string name() const override { return "ShortStreams"; }

  const std::vector<std::int64_t> sizes;
  const at::TensorOptions there;
};

}  // namespace

bool residual_norm_takes(const at::Tensor& x, const Branch& branch, const Norm& norm) {
  const bool bf16_branch = branch.value.defined() && is_bf16(branch.value);
  const bool bias_fits = !branch.bias.defined() || (norm.weight.defined() && bf16_branch);
  const bool stream_fits =
      x.scalar_type() == at::kFloat ||
      (is_bf16(x) && !norm.weight.defined() && (bf16_branch || !branch.value.defined()));
  return in_bf16(x) && stream_fits && x.is_contiguous() && bias_fits &&
         residual_norm_takes(x.size(-1));
}

ResidualNorm residual_norm(const at::Tensor& x, const Branch& branch, const Norm& norm,
                           double dropped) {
  const bool for_backward =
      at::GradMode::is_enabled() &&
      (x.requires_grad() || (branch.value.defined() && branch.value.requires_grad()));
  const variable_list outputs = ResidualNormFunction::apply(
      x, optional(branch.value), optional(branch.bias), optional(norm.weight), optional(norm.bias),
      norm.eps, dropped, for_backward);
  return {outputs[0], outputs[1], outputs[2]};
}

ResidualNorm residual_norm_onto(const at::Tensor& x, const Branch& branch, const Norm& norm) {
  return without_gradients(x, {}, branch, norm, x);
}

ResidualNorm residual_norm_of(const at::Tensor& x, const at::Tensor& picked, const Branch& branch,
                              const Norm& norm) {
  MGDM_CHECK(picked.is_contiguous() && picked.scalar_type() == at::kLong);
  return without_gradients(x, picked, branch, norm,
                           at::empty({picked.size(0), x.size(-1)}, x.options()));
}

bool short_streams_take(const at::Tensor& x) {
  return at::GradMode::is_enabled() && x.requires_grad() && x.scalar_type() == at::kFloat &&
         residual_norm_takes(x, /*branch=*/{}, /*norm=*/{});
}

std::vector<at::Tensor> short_streams(const at::Tensor& x, std::int64_t count) {
  const at::Tensor rounded = x.detach().to(at::kBFloat16);
  const auto node = std::make_shared<ShortStreams>(x);
  std::vector<at::Tensor> streams;
  for (std::int64_t i = 0; i < count; ++i) {
    streams.push_back(rounded.detach());  // the same memory
    torch::autograd::create_gradient_edge(streams.back(), node);
  }
  return streams;
}

}  // namespace mgdm::ops::cuda

#endif
