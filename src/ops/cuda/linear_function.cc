#ifdef MGDM_CUDA

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linear.h>

#include "ops/cuda/bias_activation.h"
#include "ops/cuda/functions.h"
#include "ops/cuda/products.h"
#include "ops/cuda/tensors.h"

namespace mgdm::ops::cuda {
namespace {

at::Tensor rows_of(const at::Tensor& x) { return x.view({-1, x.size(-1)}); }

// For sums over the rows of (rows, columns).
at::Tensor workspace_for(const at::Tensor& rows) {
  const std::size_t bytes = column_sum_workspace(rows.size(1));
  return at::empty({static_cast<std::int64_t>(bytes / sizeof(float))},
                   rows.options().dtype(at::kFloat));
}

// a b of matrices, or with a transposed a and b.
at::Tensor multiply(const at::Tensor& a, bool a_transposed, const at::Tensor& b,
                    bool b_transposed) {
  Product product{.a = a.const_data_ptr(),
                  .b = b.const_data_ptr(),
                  .out = nullptr,
                  .rows = a.size(a_transposed ? 1 : 0),
                  .columns = b.size(b_transposed ? 0 : 1),
                  .depth = a.size(a_transposed ? 0 : 1),
                  .a_transposed = a_transposed,
                  .b_transposed = b_transposed};
  at::Tensor out = at::empty({product.rows, product.columns}, a.options());
  product.out = out.data_ptr();
  at::Tensor workspace =
      at::empty({static_cast<std::int64_t>(kProductWorkspace)}, a.options().dtype(at::kByte));
  launch_product(product, workspace.data_ptr(),
                 /*tune=*/!at::globalContext().deterministicAlgorithms(),
                 c10::cuda::getCurrentCUDAStream());
  return out;
}

// x W^T.
at::Tensor product_of(const at::Tensor& x, const at::Tensor& weight) {
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes.back() = weight.size(0);
  return multiply(rows_of(x), false, weight, true).view(sizes);
}

// Of y = x W^T, for dy (rows, O).
struct ProductGradients {
  at::Tensor dx, dweight;

  ProductGradients(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight)
      : dx(multiply(dy, false, weight, false).view(x.sizes())),
        dweight(multiply(dy, true, rows_of(x), false)) {}
};

// The weight is bf16, the bias float.
struct LinearFunction : Function<LinearFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias) {
    const c10::cuda::CUDAGuard guard(x.device());
    context->save_for_backward({x, weight});
    context->saved_data["has_bias"] = bias.has_value();
    return bias ? at::linear(x, weight, bias->to(at::kBFloat16)) : product_of(x, weight);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dy = rows_of(gradients[0].contiguous());
    const ProductGradients product(dy, x, weight);
    at::Tensor dbias;
    if (context->saved_data["has_bias"].toBool()) {
      dbias = at::empty({dy.size(1)}, dy.options().dtype(at::kFloat));
      launch_column_sum(dy.const_data_ptr(), dbias.data_ptr<float>(),
                        workspace_for(dy).data_ptr<float>(), dy.size(0), dy.size(1),
                        c10::cuda::getCurrentCUDAStream());
      C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return {product.dx, product.dweight, dbias};
  }
};

// f(x W^T + b), whose backward needs x W^T.
struct ActivatedFunction : Function<ActivatedFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const std::optional<at::Tensor>& maybe_bias, std::int64_t activation) {
    const at::Tensor bias = tensor_or_none(maybe_bias);
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor product = product_of(x, weight);
    at::Tensor y = at::empty_like(product);
    launch_bias_activation(static_cast<Activation>(activation), product.const_data_ptr(),
                           floats(bias), y.data_ptr(), product.numel() / product.size(-1),
                           product.size(-1), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    context->save_for_backward({x, weight, bias, product});
    context->saved_data["activation"] = activation;
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto activation = static_cast<Activation>(context->saved_data["activation"].toInt());
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &bias = saved[2];
    const at::Tensor product = rows_of(saved[3]), dy = rows_of(gradients[0].contiguous());
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor dproduct = at::empty_like(product);
    at::Tensor dbias, workspace;
    if (bias.defined()) {
      dbias = at::empty_like(bias);
      workspace = workspace_for(product);
    }
    launch_bias_activation_backward(
        activation, dy.const_data_ptr(), product.const_data_ptr(), floats(bias),
        dproduct.data_ptr(), bias.defined() ? dbias.data_ptr<float>() : nullptr,
        bias.defined() ? workspace.data_ptr<float>() : nullptr, product.size(0), product.size(1),
        c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    const ProductGradients gradient(dproduct, x, weight);
    return {gradient.dx, gradient.dweight, dbias, {}};
  }
};

// As autocast does it: cast once a step, and with a gradient.
at::Tensor in_bf16_of(const at::Tensor& weight) {
  return at::autocast::cached_cast(at::kBFloat16, weight, at::kCUDA);
}

at::Tensor activated(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     Activation activation) {
  return ActivatedFunction::apply(x, in_bf16_of(weight), optional(bias),
                                  static_cast<std::int64_t>(activation));
}

}  // namespace

bool linear_takes(const at::Tensor& x, const at::Tensor& weight) {
  return is_bf16_rows(x) && weight.size(0) % 8 == 0 && weight.size(1) % 8 == 0;
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return LinearFunction::apply(x, in_bf16_of(weight), optional(bias));
}

at::Tensor linear_gelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return activated(x, weight, bias, Activation::kGelu);
}

at::Tensor linear_relu_squared(const at::Tensor& x, const at::Tensor& weight,
                               const at::Tensor& bias) {
  return activated(x, weight, bias, Activation::kReluSquared);
}

}  // namespace mgdm::ops::cuda

#endif
