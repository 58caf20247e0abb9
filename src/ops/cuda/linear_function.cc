#ifdef MGDM_CUDA

#include <ATen/ops/empty.h>

#include "ops/cuda/bias_activation.h"
#include "ops/cuda/functions.h"
#include "ops/cuda/tensor_products.h"

namespace mgdm::ops::cuda {
namespace {

// For sums over the rows of (rows, columns).
at::Tensor workspace_for(const at::Tensor& rows) {
  const std::size_t bytes = column_sum_workspace(rows.size(1));
  return at::empty({static_cast<std::int64_t>(bytes / sizeof(float))},
                   rows.options().dtype(at::kFloat));
}

// The parameter gets the gradient, `weight` is what it is in bf16; the bias is float. A stream in
// bf16 is added to.
struct LinearFunction : Function<LinearFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& parameter, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias,
                            const std::optional<at::Tensor>& stream) {
    const c10::cuda::CUDAGuard guard(x.device());
    context->save_for_backward({x, weight});
    save_weight(context, 1, parameter);
    context->saved_data["type"] = parameter.scalar_type();
    context->saved_data["dbias_wanted"] = bias && bias->requires_grad();
    context->saved_data["on_stream"] = stream.has_value();
    return product_of(x, weight,
                      {.bias = bias ? bias->to(at::kBFloat16) : at::Tensor(),
                       .onto = stream ? rows_of(*stream) : at::Tensor()});
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dy = rows_of(gradients[0].contiguous());
    const at::ScalarType type = context->saved_data["type"].toScalarType();
    at::Tensor dbias;
    if (context->saved_data["dbias_wanted"].toBool()) {
      dbias = at::empty({dy.size(1)}, dy.options().dtype(at::kFloat));
      const KernelWork work("bias gradient", bytes_of({dy}));
      launch_column_sum(dy.const_data_ptr(), dbias.data_ptr<float>(),
                        workspace_for(dy).data_ptr<float>(), dy.size(0), dy.size(1),
                        c10::cuda::getCurrentCUDAStream());
      C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    const at::Tensor dweight = weight_gradient_of(context, 1, dy, x, type);
    const bool on_stream = context->saved_data["on_stream"].toBool();
    return {dx_of(dy, weight).view(x.sizes()),
            dweight,
            {},
            dbias,
            on_stream ? gradients[0] : at::Tensor()};
  }
};

// Rows of 16 bytes, as cuBLASLt wants them.
bool is_aligned(const at::Tensor& weight) {
  return weight.size(0) % 8 == 0 && weight.size(1) % 8 == 0;
}

}  // namespace

bool linear_takes(const at::Tensor& x, const at::Tensor& weight) {
  return is_bf16_rows(x) && is_aligned(weight);
}

bool sums_gradient_of(const at::Tensor& weight) {
  return in_bf16(weight) && weight.scalar_type() == at::kFloat && weight.is_contiguous() &&
         is_aligned(weight);
}

bool stream_takes_products(const at::Tensor& stream) {
  return stream.defined() && is_bf16_rows(stream);
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  const at::Tensor& stream) {
  return LinearFunction::apply(x, weight, in_bf16_of(weight), optional(bias), optional(stream));
}

}  // namespace mgdm::ops::cuda

#endif
