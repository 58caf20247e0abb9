#ifdef MGDM_CUDA

#include <ATen/core/grad_mode.h>

#include "compat/device.h"
#include "ops/cuda/fp8_tensors.h"
#include "ops/cuda/functions.h"
#include "ops/fp8.h"

namespace mgdm::ops::cuda {
namespace {

// x is bf16, weight and bias are float, as its gradient is. For the backward pass only codes are
// kept.
struct Fp8LinearFunction : Function<Fp8LinearFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias) {
    const c10::cuda::CUDAGuard guard(x.device());
    const Fp8Matrix x8 = fp8_of(rows_of(x), NumberType::kE4m3);
    const Fp8Matrix weight8 = fp8_of(weight, NumberType::kE4m3);
    context->save_for_backward({x8.turned, x8.scale, weight8.turned, weight8.scale});
    save_weight(context, 1, weight);
    context->saved_data["dbias_wanted"] = bias && bias->requires_grad();
    context->saved_data["sizes"] = x.sizes();
    std::vector<std::int64_t> sizes = x.sizes().vec();
    sizes.back() = weight.size(0);
    return fp8_forward(x8.as_it_is(), weight8.as_it_is(),
                       bias ? bias->to(at::kBFloat16) : at::Tensor())
        .view(sizes);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Fp8Side x_turned{NumberType::kE4m3, saved[0], saved[1]};
    const Fp8Side weight_turned{NumberType::kE4m3, saved[2], saved[3]};
    const c10::cuda::CUDAGuard guard(saved[0].device());
    const Fp8Matrix dy = fp8_of(rows_of(bf16_rows(gradients[0])), NumberType::kE5m2,
                                context->saved_data["dbias_wanted"].toBool());
    const at::Tensor dweight = weight_gradient(context, 1, [&](const at::Tensor& onto) {
      return fp8_dweight(dy.transposed(), x_turned, onto);
    });
    return {fp8_dx(dy.as_it_is(), weight_turned).view(context->saved_data["sizes"].toIntVector()),
            dweight, dy.sums};
  }
};

}  // namespace

bool fp8_takes(const at::Tensor& x, const at::Tensor& weight) {
  return with_fp8_products() && at::GradMode::is_enabled() && in_bf16(x) &&
         weight.scalar_type() == at::kFloat && weight.is_contiguous() && weight.size(0) % 16 == 0 &&
         weight.size(1) % 16 == 0 && compat::has_fp8_products(x.device());
}

bool fp8_linear_takes(const at::Tensor& x, const at::Tensor& weight) {
  return fp8_takes(x, weight);
}

at::Tensor fp8_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return Fp8LinearFunction::apply(bf16_rows(x), weight, optional(bias));
}

}  // namespace mgdm::ops::cuda

#endif
