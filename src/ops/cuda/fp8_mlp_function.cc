#ifdef MGDM_CUDA

#include "ops/cuda/fp8_tensors.h"
#include "ops/cuda/functions.h"

namespace mgdm::ops::cuda {
namespace {

// y = f(product + bias) with product = x U^T, and z = y D^T. y and the
// gradient of product are never written but in fp8: casting computes them.
struct Fp8MlpFunction : Function<Fp8MlpFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& up,
                            const at::Tensor& down, const std::optional<at::Tensor>& up_bias,
                            std::int64_t activation) {
    const c10::cuda::CUDAGuard guard(x.device());
    save_weight(context, 1, up);
    save_weight(context, 2, down);
    const at::Tensor bias = tensor_or_none(up_bias);
    const Fp8Matrix x8 = fp8_of(rows_of(x), NumberType::kE4m3);
    const Fp8Matrix up8 = fp8_of(up, NumberType::kE4m3);
    const at::Tensor product = fp8_forward(x8.as_it_is(), up8.as_it_is());
    const Fp8Matrix y8 = fp8_of(product,
                                {.x = product.const_data_ptr(),
                                 .activation = static_cast<Activation>(activation),
                                 .bias = floats(bias)},
                                NumberType::kE4m3);
    const Fp8Matrix down8 = fp8_of(down, NumberType::kE4m3);
    context->save_for_backward({x8.turned, x8.scale, up8.turned, up8.scale, product, bias,
                                y8.turned, y8.scale, down8.turned, down8.scale});
    context->saved_data["activation"] = activation;
    context->saved_data["sizes"] = x.sizes();
    return fp8_forward(y8.as_it_is(), down8.as_it_is()).view(x.sizes());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const auto kept = [&](std::size_t i) {
      return Fp8Side{NumberType::kE4m3, saved[i], saved[i + 1]};
    };
    const Fp8Side x_turned = kept(0), up_turned = kept(2), y_turned = kept(6),
                  down_turned = kept(8);
    const at::Tensor &product = saved[4], &bias = saved[5];
    const c10::cuda::CUDAGuard guard(product.device());
    const Fp8Matrix dz = fp8_of(rows_of(bf16_rows(gradients[0])), NumberType::kE5m2);
    const at::Tensor ddown = weight_gradient(context, 2, [&](const at::Tensor& onto) {
      return fp8_dweight(dz.transposed(), y_turned, onto);
    });
    const at::Tensor dy = fp8_dx(dz.as_it_is(), down_turned);
    const Fp8Matrix dproduct =
        fp8_of(product,
               {.x = product.const_data_ptr(),
                .activation = static_cast<Activation>(context->saved_data["activation"].toInt()),
                .bias = floats(bias),
                .dy = dy.const_data_ptr()},
               NumberType::kE5m2, /*with_sums=*/bias.defined());
    const at::Tensor dup = weight_gradient(context, 1, [&](const at::Tensor& onto) {
      return fp8_dweight(dproduct.transposed(), x_turned, onto);
    });
    return {fp8_dx(dproduct.as_it_is(), up_turned).view(context->saved_data["sizes"].toIntVector()),
            dup,
            ddown,
            dproduct.sums,
            {}};
  }
};

Branch fp8_mlp_of(const at::Tensor& x, const ops::Mlp& mlp, Activation activation) {
  return {Fp8MlpFunction::apply(bf16_rows(x), mlp.up, mlp.down, optional(mlp.up_bias),
                                static_cast<std::int64_t>(activation)),
          mlp.down_bias};
}

}  // namespace

bool fp8_mlp_takes(const at::Tensor& x, const ops::Mlp& mlp) {
  return fp8_takes(x, mlp.up) && fp8_takes(x, mlp.down) && mlp.down.size(0) == mlp.up.size(1);
}

Branch fp8_mlp_gelu(const at::Tensor& x, const ops::Mlp& mlp) {
  return fp8_mlp_of(x, mlp, Activation::kGelu);
}

Branch fp8_mlp_relu_squared(const at::Tensor& x, const ops::Mlp& mlp) {
  return fp8_mlp_of(x, mlp, Activation::kReluSquared);
}

}  // namespace mgdm::ops::cuda

#endif
