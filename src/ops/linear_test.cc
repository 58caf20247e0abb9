// Products and what follows them against their formulas in double, on every device: LibTorch's on
// the CPU, our kernels around them on CUDA.
#include "ops/linear.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <gtest/gtest.h>

#include "compat/device.h"

namespace mgdm::ops {
namespace {

using Product = at::Tensor (*)(const at::Tensor&, const at::Tensor&, const at::Tensor&);

at::Tensor plain_formula(const at::Tensor& u) { return u.clone(); }
at::Tensor gelu_formula(const at::Tensor& u) { return at::gelu(u, "tanh"); }
at::Tensor relu_squared_formula(const at::Tensor& u) { return at::relu(u) * at::relu(u); }

struct Kind {
  const char* name;
  Product product;
  at::Tensor (*formula)(const at::Tensor&);
};

constexpr Kind kKinds[] = {{"linear", linear, plain_formula},
                           {"linear_gelu", linear_gelu, gelu_formula},
                           {"linear_relu_squared", linear_relu_squared, relu_squared_formula}};

// Numbers that are the same in bf16.
at::Tensor short_numbers(at::IntArrayRef sizes) {
  return at::randn(sizes).to(at::kBFloat16).to(at::kFloat);
}

at::Tensor with_gradient(const at::Tensor& x) { return x.detach().clone().set_requires_grad(true); }

// Rounding changes numbers by `unit` of themselves. All that comes out is rounded, and so are the
// numbers on the way: u = x W^T + b and its gradient, and parts of the sums over I, O or rows,
// where the library cuts them. With sizes |.| of what is added up, that is at most four roundings
// of each number; |f'| and |f''| are below 2 or below 2 |u|.
TEST(Linear, IsItsFormulaWithGradients) {
  std::vector<c10::Device> devices{c10::Device(c10::kCPU)};
  if (compat::cuda_available()) devices.push_back(compat::device("cuda"));
  for (const c10::Device device : devices)
    for (const Kind& kind : kKinds)
      for (const bool with_bias : {true, false})
        for (const std::int64_t out : {24, 384}) {
          SCOPED_TRACE(testing::Message()
                       << device << " " << kind.name << " " << with_bias << " " << out);
          const bool cuda = device.is_cuda();
          const double unit = cuda ? 0x1p-8 : 0x1p-20;
          const at::Tensor x_values = short_numbers({3, 37, 64}),
                           weights = short_numbers({out, 64}), biases = short_numbers({out}),
                           dy = short_numbers({3, 37, out});
          const at::Tensor x = with_gradient(
                               x_values.to(device, cuda ? at::kBFloat16 : at::kFloat)),
                           weight = with_gradient(weights.to(device));
          const at::Tensor bias = with_bias ? with_gradient(biases.to(device)) : at::Tensor();
          at::Tensor y;
          {
            const compat::Autocast autocast(device, /*enabled=*/cuda);
            y = kind.product(x, weight, bias);
          }
          (y.to(at::kFloat) * dy.to(device)).sum().backward();

          const auto exact = [](const at::Tensor& values) {
            return with_gradient(values.to(at::kDouble));
          };
          const at::Tensor x2 = exact(x_values), weight2 = exact(weights), bias2 = exact(biases);
          at::Tensor u = at::linear(x2, weight2, with_bias ? bias2 : at::Tensor());
          u.retain_grad();
          const at::Tensor y2 = kind.formula(u);
          (y2 * dy).sum().backward();

          const at::Tensor x_size = x2.detach().abs(), weight_size = weight2.detach().abs();
          const at::Tensor u_error = 4 * unit * (at::linear(x_size, weight_size) + biases.abs());
          const at::Tensor slope = 2 * (1 + u.detach().abs());
          const at::Tensor du_error = 4 * unit * u.grad().abs() + 2 * u_error * dy.abs();
          const at::Tensor du_size = 4 * unit * u.grad().abs() + du_error;
          const auto expect = [](const at::Tensor& got, const at::Tensor& want,
                                 const at::Tensor& bound, const char* what) {
            const at::Tensor error =
                (got.detach().to(at::kCPU, at::kDouble) - want.detach()).abs() / bound;
            EXPECT_LE(error.max().item<double>(), 1) << what;
          };
          expect(y, y2, u_error * slope + unit * y2.detach().abs(), "y");
          expect(x.grad(), x2.grad(), du_size.matmul(weight_size) + 1e-30, "dx");
          expect(weight.grad(), weight2.grad(),
                 du_size.flatten(0, 1).t().matmul(x_size.flatten(0, 1)) + 1e-30, "dweight");
          if (with_bias)
            expect(bias.grad(), bias2.grad(), du_size.flatten(0, 1).sum(0) + 1e-30, "dbias");
        }
}

}  // namespace
}  // namespace mgdm::ops
