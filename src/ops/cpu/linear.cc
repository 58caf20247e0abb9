#ifdef MGDM_HAVE_VECTORS

#include "ops/cpu/linear.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/sum.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

#include "ops/cpu/elementwise.h"
#include "ops/cpu/linear_products.h"

namespace mgdm::ops::cpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

LinearShape shape_of(const at::Tensor& x, const at::Tensor& weight) {
  const std::int64_t in = weight.size(1);
  return {.rows = static_cast<std::size_t>(in > 0 ? x.numel() / in : 0),
          .in = static_cast<std::size_t>(in),
          .out = static_cast<std::size_t>(weight.size(0))};
}

// A bias of no numbers stands for none: LibTorch 1.13 knows no std::optional here.
struct Linear : torch::autograd::Function<Linear> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& any_x,
                            const at::Tensor& any_weight, const at::Tensor& any_bias) {
    const at::Tensor x = any_x.contiguous(), weight = any_weight.contiguous(),
                     bias = any_bias.contiguous();
    context->save_for_backward({x, weight});
    context->saved_data["dx_wanted"] = any_x.requires_grad();
    context->saved_data["dweight_wanted"] = any_weight.requires_grad();
    context->saved_data["dbias_wanted"] = any_bias.requires_grad();
    std::vector<std::int64_t> sizes = x.sizes().vec();
    sizes.back() = weight.size(0);
    const at::Tensor y = at::empty(sizes, x.options());
    linear_product(shape_of(x, weight), x.data_ptr<float>(), weight.data_ptr<float>(),
                   bias.numel() > 0 ? bias.data_ptr<float>() : nullptr, y.data_ptr<float>());
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], dy = gradients[0].contiguous();
    const LinearShape shape = shape_of(x, weight);
    at::Tensor dx, dweight, dbias;
    if (context->saved_data["dx_wanted"].toBool()) {
      dx = at::empty(x.sizes(), x.options());
      input_gradient(shape, dy.data_ptr<float>(), weight.data_ptr<float>(), dx.data_ptr<float>());
    }
    if (context->saved_data["dweight_wanted"].toBool()) {
      dweight = at::empty(weight.sizes(), weight.options());
      weight_gradient(shape, dy.data_ptr<float>(), x.data_ptr<float>(), dweight.data_ptr<float>());
    }
    if (context->saved_data["dbias_wanted"].toBool()) dbias = dy.view({-1, weight.size(0)}).sum(0);
    return {dx, dweight, dbias};
  }
};

}  // namespace

bool linear_takes(const at::Tensor& x, const at::Tensor& weight) {
#ifdef __aarch64__
  return takes(x) && takes(weight);
#else
  (void)x, (void)weight;
  return false;
#endif
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return Linear::apply(x, weight, bias.defined() ? bias : at::empty({0}, weight.options()));
}

}  // namespace mgdm::ops::cpu

#endif  // MGDM_HAVE_VECTORS
