#ifdef MGDM_HAVE_VECTORS

#include <ATen/ops/empty.h>
#include <ATen/ops/sum.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

#include "base/error.h"
#include "ops/cpu/functions.h"
#include "ops/cpu/linear_products.h"

namespace mgdm::ops::cpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

LinearShape shape_of(const at::Tensor& x, const at::Tensor& weight) {
  std::size_t rows = 1;
  for (const std::int64_t size : x.sizes().slice(0, static_cast<std::size_t>(x.dim()) - 1))
    rows *= static_cast<std::size_t>(size);
  return {.rows = rows,
          .in = static_cast<std::size_t>(weight.size(1)),
          .out = static_cast<std::size_t>(weight.size(0))};
}

// A bias of no numbers stands for none: LibTorch 1.13 knows no std::optional here.
struct Linear : torch::autograd::Function<Linear> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& any_x,
                            const at::Tensor& any_weight, const at::Tensor& any_bias) {
    const at::Tensor x = any_x.contiguous(), weight = any_weight.contiguous(),
                     bias = any_bias.contiguous();
    // The products do not look.
    MGDM_CHECK(x.dim() > 0 && weight.dim() == 2 && x.size(-1) == weight.size(1));
    MGDM_CHECK(bias.numel() == 0 || bias.numel() == weight.size(0));
    context->save_for_backward({x, weight});
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
    if (context->needs_input_grad(0)) {
      dx = at::empty(x.sizes(), x.options());
      input_gradient(shape, dy.data_ptr<float>(), weight.data_ptr<float>(), dx.data_ptr<float>());
    }
    if (context->needs_input_grad(1)) {
      dweight = at::empty(weight.sizes(), weight.options());
      weight_gradient(shape, dy.data_ptr<float>(), x.data_ptr<float>(), dweight.data_ptr<float>());
    }
    if (context->needs_input_grad(2))
      dbias = dy.view({static_cast<std::int64_t>(shape.rows), weight.size(0)}).sum(0);
    return {dx, dweight, dbias};
  }
};

}  // namespace

bool linear_takes(const at::Tensor& x, const at::Tensor& weight) {
#ifdef __aarch64__
  // Fewer are read faster than the weight is put into panels.
  constexpr std::int64_t kFewestRows = 64;
  return takes(x) && takes(weight) && x.numel() >= kFewestRows * weight.size(1);
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
