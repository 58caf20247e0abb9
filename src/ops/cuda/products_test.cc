// Products by cuBLASLt against their formula in double. They run where there is a GPU.
#ifdef MGDM_CUDA

#include "ops/cuda/products.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tanh.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "compat/device.h"
#include "ops/cuda/test_support.h"

namespace mgdm::ops::cuda {
namespace {

class Products : public testing::Test {
 protected:
  void SetUp() override {
    if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
    compat::seed_dropout(7);
  }

  // With a as it is.
  static Product product_of(const at::Tensor& a, const at::Tensor& b, const at::Tensor& out) {
    return {.a = a.const_data_ptr(),
            .b = b.const_data_ptr(),
            .out = out.data_ptr(),
            .rows = out.size(0),
            .columns = out.size(1),
            .depth = a.size(1)};
  }

  static void launch(const Product& product) {
    const at::Tensor workspace =
        at::empty({kProductWorkspace}, at::TensorOptions().device(at::kCUDA).dtype(at::kByte));
    launch_product(product, workspace.data_ptr(), nullptr);
  }
};

TEST_F(Products, AreTheirFormula) {
  for (const auto& [a_transposed, b_transposed] :
       {std::pair{false, true}, {false, false}, {true, false}, {true, true}})
    for (const auto& [rows, columns, depth] :
         {std::tuple{8, 16, 24}, {264, 72, 1000}, {2048, 384, 1536}, {384, 1152, 20000}}) {
      SCOPED_TRACE(testing::Message() << a_transposed << b_transposed << " " << rows << " x "
                                      << columns << " x " << depth);
      const at::Tensor a = numbers({rows, depth}, at::kBFloat16),
                       b = numbers({depth, columns}, at::kBFloat16);
      const at::Tensor a_stored = (a_transposed ? a.t() : a).contiguous(),
                       b_stored = (b_transposed ? b.t() : b).contiguous();
      const at::Tensor out = unwritten(numbers({rows, columns}, at::kBFloat16));
      Product product = product_of(a_stored, b_stored, out);
      product.depth = depth;
      product.a_transposed = a_transposed;
      product.b_transposed = b_transposed;
      launch(product);
      const at::Tensor a2 = a.to(at::kDouble), b2 = b.to(at::kDouble);
      const at::Tensor want = a2.matmul(b2);
      // A number takes part in at most `depth` additions in float.
      const at::Tensor error = depth * kFloat * a2.abs().matmul(b2.abs());
      expect_within(out, want, 1.01 * kBf16 * want.abs() + error, "product");

      const at::Tensor floats = unwritten(out.to(at::kFloat));
      product.out = floats.data_ptr();
      product.out_is_float = true;
      launch(product);
      expect_within(floats, want, 1.01 * error, "product in float");
    }
}

// As a weight's gradient is summed up, which is dy^T x.
TEST_F(Products, AddToWhatIsThere) {
  for (const auto& [rows, columns, depth] :
       {std::tuple{8, 16, 24}, {264, 72, 1000}, {1536, 384, 2048}, {384, 1152, 20000}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns << " x " << depth);
    // Numbers before that are as large as the products, in a tensor with neighbours.
    const at::Tensor all = std::sqrt(depth) * numbers({rows + 2, columns});
    const at::Tensor sum = all.slice(0, 1, rows + 1);
    at::Tensor want = all.to(at::kDouble), size = want.abs();
    for (int turn = 0; turn < 3; ++turn) {
      const at::Tensor a = numbers({depth, rows}, at::kBFloat16),
                       b = numbers({depth, columns}, at::kBFloat16);
      Product product = product_of(a, b, sum);
      product.depth = depth;
      product.a_transposed = true;
      product.out_is_float = true;
      product.onto = product.out;
      launch(product);
      const at::Tensor a2 = a.t().to(at::kDouble), b2 = b.to(at::kDouble);
      want.slice(0, 1, rows + 1) += a2.matmul(b2);
      size.slice(0, 1, rows + 1) += a2.abs().matmul(b2.abs());
    }
    // A number takes part in at most `depth` additions of its product, and in one to each sum.
    at::Tensor bound = 1.01 * (depth + 3) * kFloat * size;
    bound[0] = 0;
    bound[-1] = 0;
    expect_within(all, want, bound, "sum");
  }
}

// A plan for products that write must not be taken for one that adds, nor the other way round.
TEST_F(Products, WriteAndAddInTurns) {
  const at::Tensor a = numbers({512, 256}, at::kBFloat16), b = numbers({256, 128}, at::kBFloat16);
  const at::Tensor out = unwritten(numbers({512, 128}));
  Product product = product_of(a, b, out);
  product.out_is_float = true;
  const at::Tensor a2 = a.to(at::kDouble), b2 = b.to(at::kDouble);
  const at::Tensor once = a2.matmul(b2), size = a2.abs().matmul(b2.abs());
  for (const auto& [adds, times] : {std::pair{false, 1}, {true, 2}, {true, 3}, {false, 1}}) {
    SCOPED_TRACE(testing::Message() << adds << times);
    product.onto = adds ? product.out : nullptr;
    launch(product);
    expect_within(out, times * once, 1.01 * (256 + 2) * kFloat * times * size, "out");
  }
}

// As a product is added to a stream: rounded once, when all is summed up.
TEST_F(Products, AddToAnotherMatrix) {
  for (const auto& [rows, columns, depth] :
       {std::tuple{8, 16, 24}, {264, 72, 1000}, {20000, 384, 384}, {20000, 256, 1024}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns << " x " << depth);
    const at::Tensor a = numbers({rows, depth}, at::kBFloat16),
                     b = numbers({columns, depth}, at::kBFloat16);
    const at::Tensor onto = std::sqrt(depth) * numbers({rows, columns}, at::kBFloat16);
    const at::Tensor before = onto.clone(), out = unwritten(onto);
    Product product = product_of(a, b, out);
    product.b_transposed = true;
    product.onto = onto.const_data_ptr();
    launch(product);
    const at::Tensor a2 = a.to(at::kDouble), b2 = b.t().to(at::kDouble);
    const at::Tensor want = onto.to(at::kDouble) + a2.matmul(b2);
    const at::Tensor size = onto.to(at::kDouble).abs() + a2.abs().matmul(b2.abs());
    expect_within(out, want, 1.01 * (kBf16 * want.abs() + (depth + 1) * kFloat * size), "out");
    EXPECT_TRUE(onto.equal(before));
  }
}

TEST_F(Products, ThatAddAreAlone) {
  const at::Tensor a = numbers({16, 16}, at::kBFloat16), out = numbers({16, 16});
  Product product = product_of(a, a, out);
  product.onto = product.out;
  product.out_is_float = true;
  product.bias = a.const_data_ptr();
  EXPECT_THROW(launch(product), std::invalid_argument);
  product.bias = nullptr;
  product.gelu = true;
  EXPECT_THROW(launch(product), std::invalid_argument);
}

// A bias alone; gelu; gelu and what it is of.
TEST_F(Products, WithWhatFollowsAreTheirFormula) {
  constexpr std::int64_t kRows = 2048, kColumns = 1536, kDepth = 384;
  const at::Tensor a = numbers({kRows, kDepth}, at::kBFloat16),
                   b = numbers({kColumns, kDepth}, at::kBFloat16);
  const at::Tensor like = numbers({kRows, kColumns}, at::kBFloat16);
  for (const auto& [gelu, with_sum] : {std::pair{false, false}, {true, false}, {true, true}})
    for (int turn = 0; turn < 3; ++turn) {  // one plan, every bias
      SCOPED_TRACE(testing::Message() << gelu << with_sum << " turn " << turn);
      const at::Tensor bias = numbers({kColumns}, at::kBFloat16);
      const at::Tensor out = unwritten(like), sum_out = unwritten(like);
      Product product = product_of(a, b, out);
      product.b_transposed = true;
      product.bias = bias.const_data_ptr();
      product.gelu = gelu;
      product.sum = with_sum ? sum_out.data_ptr() : nullptr;
      launch(product);
      const at::Tensor a2 = a.to(at::kDouble), b2 = b.t().to(at::kDouble);
      const at::Tensor sum = a2.matmul(b2) + bias.to(at::kDouble);
      // A number takes part in at most `depth` additions in float.
      const at::Tensor sum_error =
          (kDepth + 1) * kFloat * (a2.abs().matmul(b2.abs()) + bias.to(at::kDouble).abs());
      if (!gelu || with_sum)
        expect_within(gelu ? sum_out : out, sum, 1.01 * kBf16 * sum.abs() + sum_error, "sum");
      if (!gelu) continue;
      const at::Tensor want =
          0.5 * sum *
          (1 + at::tanh(std::sqrt(2 / std::numbers::pi) * (sum + 0.044715 * sum.pow(3))));
      // gelu's slope is at most 1.13; its own tanh is of some 11 bits.
      expect_within(out, want, 1.01 * kBf16 * want.abs() + 0x1p-11 * sum.abs() + 1.13 * sum_error,
                    "gelu");
    }
}

// a b gelu'(x).
TEST_F(Products, TimesASlopeAreTheirFormula) {
  constexpr std::int64_t kRows = 2048, kColumns = 1536, kDepth = 384;
  const at::Tensor a = numbers({kRows, kDepth}, at::kBFloat16),
                   b = numbers({kDepth, kColumns}, at::kBFloat16);
  for (int turn = 0; turn < 3; ++turn) {  // one plan, every x
    SCOPED_TRACE(testing::Message() << "turn " << turn);
    const at::Tensor x = numbers({kRows, kColumns}, at::kBFloat16), out = unwritten(x);
    Product product = product_of(a, b, out);
    product.slope_at = x.const_data_ptr();
    launch(product);
    const at::Tensor a2 = a.to(at::kDouble), b2 = b.to(at::kDouble), x2 = x.to(at::kDouble);
    const double root = std::sqrt(2 / std::numbers::pi);
    const at::Tensor t = at::tanh(root * (x2 + 0.044715 * x2.pow(3)));
    const at::Tensor slope =
        0.5 * (1 + t) + 0.5 * x2 * (1 - t * t) * root * (1 + 3 * 0.044715 * x2.pow(2));
    const at::Tensor want = a2.matmul(b2) * slope;
    // A number takes part in at most `depth` additions in float; tanh is of some 11 bits, and what
    // the slope makes of its error grows with x.
    const at::Tensor error = kDepth * kFloat * a2.abs().matmul(b2.abs()) * slope.abs() +
                             0x1p-10 * (1 + x2.abs()) * a2.matmul(b2).abs();
    expect_within(out, want, 1.01 * kBf16 * want.abs() + error, "product");
  }
}

}  // namespace
}  // namespace mgdm::ops::cuda

#endif
