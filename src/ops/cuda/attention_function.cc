#ifdef MGDM_CUDA

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "ops/cuda/attention.h"
#include "ops/cuda/functions.h"
#include "ops/cuda/tensors.h"

namespace mgdm::ops::cuda {
namespace {

// Kept from forward to backward.
struct KeptSettings : torch::CustomClassHolder {
  AttentionSettings settings;
};

// The operations of `products` matmuls with the (N, N) scores of each head; a causal mask halves
// them.
double products_flop(const AttentionSettings& s, int products) {
  const double scores = static_cast<double>(s.batch * s.heads) *
                        static_cast<double>(s.length * s.length) * (s.causal ? 0.5 : 1.0);
  return 2 * products * scores * static_cast<double>(s.size);
}

struct AttentionFunction : Function<AttentionFunction> {
  // The bias is part of qkv already, and given for its gradient alone.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& qkv,
                            const std::optional<at::Tensor>& bias, bool causal, double scale,
                            double dropout, double norm_eps, bool for_backward) {
    const c10::cuda::CUDAGuard guard(qkv.device());
    auto kept = c10::make_intrusive<KeptSettings>();
    kept->settings = {.batch = qkv.size(0),
                      .length = qkv.size(1),
                      .heads = qkv.size(3),
                      .size = qkv.size(4),
                      .causal = causal,
                      .scale = static_cast<float>(scale),
                      .norm = norm_eps > 0,
                      .eps = static_cast<float>(norm_eps),
                      .dropout = static_cast<float>(dropout)};
    if (dropout > 0) kept->settings.random = next_random_state();
    at::Tensor out =
        at::empty({qkv.size(0), qkv.size(1), qkv.size(3) * qkv.size(4)}, qkv.options());
    at::Tensor lse;
    if (for_backward)
      lse = at::empty({qkv.size(0), qkv.size(3), qkv.size(1)}, qkv.options().dtype(at::kFloat));
    const KernelWork work("attention, forward", bytes_of({qkv, out, lse}),
                          products_flop(kept->settings, 2));
    launch_attention({.settings = kept->settings,
                      .qkv = qkv.const_data_ptr(),
                      .out = out.data_ptr(),
                      .lse = for_backward ? lse.data_ptr<float>() : nullptr},
                     c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    if (for_backward) {
      context->save_for_backward({qkv, out, lse});
      context->saved_data["settings"] = c10::IValue::make_capsule(std::move(kept));
      context->saved_data["has_bias"] = bias.has_value();
    }
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto kept = c10::static_intrusive_pointer_cast<KeptSettings>(
        context->saved_data["settings"].toCapsule());
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &qkv = saved[0], &out = saved[1], &lse = saved[2];
    const c10::cuda::CUDAGuard guard(qkv.device());
    const at::Tensor dout = gradients[0].contiguous();
    at::Tensor dqkv = at::empty_like(qkv), dbias, workspace;
    if (context->saved_data["has_bias"].toBool()) {
      const auto floats_there = qkv.options().dtype(at::kFloat);
      dbias = at::empty({qkv.numel() / (qkv.size(0) * qkv.size(1))}, floats_there);
      workspace = at::empty({qkv.size(0), dbias.size(0)}, floats_there);
    }
    const KernelWork work("attention, backward", bytes_of({qkv, out, lse, dout, dqkv}),
                          products_flop(kept->settings, 5));  // the scores once more, 4 gradients
    launch_attention_backward(
        {.settings = kept->settings,
         .qkv = qkv.const_data_ptr(),
         .out = out.const_data_ptr(),
         .lse = lse.const_data_ptr<float>(),
         .dout = dout.const_data_ptr(),
         .dqkv = dqkv.data_ptr(),
         .dbias = dbias.defined() ? dbias.data_ptr<float>() : nullptr,
         .workspace = dbias.defined() ? workspace.data_ptr<float>() : nullptr},
        c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {dqkv, dbias, {}, {}, {}, {}, {}};
  }
};

}  // namespace

bool attention_takes(const at::Tensor& qkv) {
  return is_bf16_rows(qkv) && attention_takes(qkv.size(1), qkv.size(4));
}

bool attention_takes_bias(const at::Tensor& x, std::int64_t size, const at::Tensor& bias) {
  return is_bf16_rows(x) && attention_takes(x.size(1), size) && attention_sums_bias(size) &&
         at::GradMode::is_enabled() && bias.requires_grad() && bias.scalar_type() == at::kFloat;
}

at::Tensor attention(const at::Tensor& qkv, const AttentionForm& form, const at::Tensor& bias) {
  const bool for_backward = at::GradMode::is_enabled() &&
                            (qkv.requires_grad() || (bias.defined() && bias.requires_grad()));
  return AttentionFunction::apply(qkv, optional(bias), form.causal, form.scale, form.dropout,
                                  form.head_norm_eps, for_backward);
}

bool attention_at_takes(const at::Tensor& qkv, const at::Tensor& places,
                        const AttentionForm& form) {
  return is_bf16_rows(qkv) && places.device() == qkv.device() && places.is_contiguous() &&
         form.dropout == 0 && !at::GradMode::is_enabled() &&
         attention_takes(places.size(1), qkv.size(3));
}

at::Tensor attention_at(const at::Tensor& qkv, const at::Tensor& places,
                        const AttentionForm& form) {
  const c10::cuda::CUDAGuard guard(qkv.device());
  const AttentionSettings settings{.batch = places.size(0),
                                   .length = places.size(1),
                                   .heads = qkv.size(2),
                                   .size = qkv.size(3),
                                   .causal = form.causal,
                                   .scale = static_cast<float>(form.scale),
                                   .norm = form.head_norm_eps > 0,
                                   .eps = static_cast<float>(form.head_norm_eps)};
  at::Tensor out =
      at::empty({settings.batch, settings.length, settings.heads * settings.size}, qkv.options());
  const KernelWork work("attention, forward", bytes_of({qkv, places, out}),
                        products_flop(settings, 2));
  launch_attention({.settings = settings,
                    .qkv = qkv.const_data_ptr(),
                    .out = out.data_ptr(),
                    .lse = nullptr,
                    .places = places.const_data_ptr<std::int64_t>()},
                   c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

}  // namespace mgdm::ops::cuda

#endif
