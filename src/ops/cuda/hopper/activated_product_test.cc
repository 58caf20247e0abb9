// Products with the activation inside, number by number against the formulas in double. They run
// where there is a Hopper GPU.
#ifdef MGDM_CUDA

#include "ops/cuda/hopper/activated_product.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/relu.h>

#include "compat/device.h"
#include "ops/cuda/test_support.h"

namespace mgdm::ops::cuda {
namespace {

at::Tensor activated(Activation activation, const at::Tensor& u) {
  return activation == Activation::kGelu ? at::gelu(u, "tanh") : at::relu(u) * at::relu(u);
}

TEST(ActivatedProduct, IsItsFormulaAndItsGradients) {
  if (!compat::cuda_available() || !activated_product_takes(512, 384))
    GTEST_SKIP() << "no Hopper GPU";
  compat::seed_dropout(7);
  for (const Activation activation : {Activation::kGelu, Activation::kReluSquared})
    for (const bool with_bias : {true, false})
      for (const auto& [rows, columns, depth] : {std::tuple{1, 128, 256},
                                                 {63, 256, 128},
                                                 {300, 128, 320},
                                                 {129, 384, 256},
                                                 {1000, 1024, 256},
                                                 {30001, 1536, 256},
                                                 {30001, 1536, 384}}) {
        SCOPED_TRACE(testing::Message()
                     << (activation == Activation::kGelu ? "gelu" : "relu2") << with_bias << " "
                     << rows << " x " << columns << " x " << depth);
        const at::Tensor x = numbers({rows, depth}, at::kBFloat16),
                         weight = (0.1 * numbers({columns, depth})).to(at::kBFloat16),
                         bias = 0.5 * numbers({columns});
        const at::Tensor like = numbers({rows, columns}, at::kBFloat16);
        const at::Tensor product = unwritten(like), y = unwritten(like), dproduct = unwritten(like),
                         dbias = unwritten(bias);
        ActivatedProduct arguments{.activation = activation,
                                   .rows = rows,
                                   .columns = columns,
                                   .depth = depth,
                                   .x = x.const_data_ptr(),
                                   .weight = weight.const_data_ptr(),
                                   .bias = with_bias ? bias.const_data_ptr<float>() : nullptr,
                                   .product = product.data_ptr(),
                                   .out = y.data_ptr()};
        launch_activated_product(arguments, nullptr);
        const at::Tensor x2 = x.to(at::kDouble), weight2 = weight.to(at::kDouble);
        const at::Tensor want = x2.matmul(weight2.t());
        // Sums of `depth` products in float, and one rounding to bf16.
        const at::Tensor sum_error =
            static_cast<double>(depth) * kFloat * x2.abs().matmul(weight2.abs().t());
        expect_within(product, want, kBf16 * want.abs() + sum_error, "product");

        // From the product as it was written: as exact as bias_activation.h's pass.
        at::Tensor u = product.to(at::kDouble);
        if (with_bias) u = u + bias.to(at::kDouble);
        u = leaf(u);
        const at::Tensor exact_y = activated(activation, u);
        exact_y.sum().backward();
        const at::Tensor slope = u.grad();
        // The sigmoid's exponent is rounded some times; its slope is at most 2 |u| + 1.
        const at::Tensor f_error = 64 * kFloat * (1 + u.detach().abs()).pow(4);
        expect_within(y, exact_y, 1.01 * kBf16 * exact_y.detach().abs() + f_error, "y");

        const at::Tensor workspace = at::empty(
            {static_cast<std::int64_t>(activated_product_workspace(columns) / sizeof(float))},
            bias.options());
        const at::Tensor back = weight.t().contiguous();
        arguments.weight = back.const_data_ptr();
        arguments.out = dproduct.data_ptr();
        if (activation == Activation::kReluSquared) {  // which goes by y
          arguments.product = y.data_ptr();
          arguments.bias = nullptr;
        }
        launch_activated_product_backward(arguments, dbias.data_ptr<float>(),
                                          workspace.data_ptr<float>(), nullptr);
        // The root of y has half of its rounding.
        const at::Tensor slope_error =
            activation == Activation::kGelu ? f_error : (0.51 * kBf16 + 4 * kFloat) * slope;
        const at::Tensor dwant = want * slope;
        const at::Tensor derror = sum_error * slope.abs() + want.abs() * slope_error;
        expect_within(dproduct, dwant, 1.02 * (kBf16 * dwant.abs() + derror), "dproduct");
        if (!with_bias) {  // nor its gradient
          const at::Tensor alone = unwritten(like);
          arguments.out = alone.data_ptr();
          launch_activated_product_backward(arguments, nullptr, nullptr, nullptr);
          expect_within(alone, dwant, 1.02 * (kBf16 * dwant.abs() + derror), "dproduct alone");
        }
        // Added up in a lane (two rows of a tile, tiles at least 11 apart in turns of two or
        // three), then over lanes, warps and blocks.
        const double adding = (rows / 500.0 + 64) * kFloat;
        expect_within(dbias, dwant.sum(0), (derror + adding * dwant.abs()).sum(0), "dbias");
      }
}

// Forward alone, with the product kept for backward and without.
TEST(ActivatedProduct, IsItsFormulaForwardAlone) {
  if (!compat::cuda_available() || !activated_product_takes(512, 384))
    GTEST_SKIP() << "no Hopper GPU";
  compat::seed_dropout(7);
  for (const Activation activation : {Activation::kGelu, Activation::kReluSquared})
    for (const auto& [with_product, with_bias] :
         {std::pair{true, true}, {false, true}, {false, false}})
      for (const auto& [rows, columns, depth] :
           {std::tuple{1, 128, 384}, {100, 1536, 384}, {30001, 1536, 384}, {5000, 1024, 256}}) {
        SCOPED_TRACE(testing::Message()
                     << (activation == Activation::kGelu ? "gelu" : "relu2") << with_product
                     << with_bias << " " << rows << " x " << columns << " x " << depth);
        const at::Tensor x = numbers({rows, depth}, at::kBFloat16),
                         weight = (0.1 * numbers({columns, depth})).to(at::kBFloat16),
                         bias = 0.5 * numbers({columns});
        const at::Tensor like = numbers({rows, columns}, at::kBFloat16);
        const at::Tensor product = unwritten(like), y = unwritten(like);
        launch_activated_product({.activation = activation,
                                  .rows = rows,
                                  .columns = columns,
                                  .depth = depth,
                                  .x = x.const_data_ptr(),
                                  .weight = weight.const_data_ptr(),
                                  .bias = with_bias ? bias.const_data_ptr<float>() : nullptr,
                                  .product = with_product ? product.data_ptr() : nullptr,
                                  .out = y.data_ptr()},
                                 nullptr);
        const at::Tensor x2 = x.to(at::kDouble), weight2 = weight.to(at::kDouble);
        const at::Tensor want = x2.matmul(weight2.t());
        const at::Tensor error = kBf16 * want.abs() + static_cast<double>(depth) * kFloat *
                                                          x2.abs().matmul(weight2.abs().t());
        if (with_product) expect_within(product, want, error, "product");
        const at::Tensor u = with_bias ? want + bias.to(at::kDouble) : want;
        const at::Tensor exact_y = activated(activation, u);
        // |f'| is at most 1.13 or 2 |u|, and f is exact up to some roundings of float.
        const at::Tensor slope =
            activation == Activation::kGelu ? at::full_like(u, 1.13) : 2 * (u.abs() + error);
        expect_within(
            y, exact_y,
            1.01 * kBf16 * exact_y.abs() + slope * error + 64 * kFloat * (1 + u.abs()).pow(4), "y");
      }
}

}  // namespace
}  // namespace mgdm::ops::cuda

#endif
