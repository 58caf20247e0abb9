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

// Of so many products with the (N, N) scores of each head; under a causal mask half of them count.
double products_flop(const AttentionSettings& s, int products) {
  const double scores = static_cast<double>(s.batch * s.heads) *
                        static_cast<double>(s.length * s.length) * (s.causal ? 0.5 : 1.0);
  return 2 * products * scores * static_cast<double>(s.size);
}

struct AttentionFunction : Function<AttentionFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& qkv, bool causal,
                            double scale, double dropout, double norm_eps, bool for_backward) {
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
    at::Tensor dqkv = at::empty_like(qkv);
    const KernelWork work("attention, backward", bytes_of({qkv, out, lse, dout, dqkv}),
                          products_flop(kept->settings, 5));  // the scores once more, 4 gradients
    launch_attention_backward({.settings = kept->settings,
                               .qkv = qkv.const_data_ptr(),
                               .out = out.const_data_ptr(),
                               .lse = lse.const_data_ptr<float>(),
                               .dout = dout.const_data_ptr(),
                               .dqkv = dqkv.data_ptr()},
                              c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {dqkv, {}, {}, {}, {}, {}};
  }
};

}  // namespace

bool attention_takes(const at::Tensor& qkv) {
  return is_bf16_rows(qkv) && attention_takes(qkv.size(1), qkv.size(4));
}

at::Tensor attention(const at::Tensor& qkv, const AttentionForm& form) {
  const bool for_backward = at::GradMode::is_enabled() && qkv.requires_grad();
  return AttentionFunction::apply(qkv, form.causal, form.scale, form.dropout, form.head_norm_eps,
                                  for_backward);
}

}  // namespace mgdm::ops::cuda

#endif
