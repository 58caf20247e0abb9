// Bias, activation and their gradients number by number against the formulas in double. They run
// where there is a GPU.
#ifdef MGDM_CUDA

#include "ops/cuda/bias_activation.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>

#include <cmath>
#include <numbers>

#include "compat/device.h"
#include "ops/cuda/test_support.h"

namespace mgdm::ops::cuda {
namespace {

constexpr double kLeast = 0x1p-126;  // the smallest float of full precision

// f(u), f'(u), and how far the kernel's may be off before they are rounded to bf16.
struct Exact {
  at::Tensor value, slope, value_error, slope_error;
};

Exact exact_relu_squared(const at::Tensor& u) {
  const at::Tensor r = at::relu(u);
  return {r * r, 2 * r, 4 * kFloat * r * r, {}};
}

// What backward makes of y, whose roots have half of its rounding; the kernel takes what is below
// 2^-126 for 0.
struct Slope {
  at::Tensor value, error;
};
Slope slope_of_relu_squared(const at::Tensor& y) {
  const at::Tensor slope = 2 * y.to(at::kDouble).sqrt();
  return {slope, 4 * kFloat * slope + 2 * std::sqrt(kLeast)};
}

// u s with the sigmoid s = 1 / (1 + exp(-2 w)): its exponent is rounded some times, and two
// approximate instructions follow, which make 0 of what is below 2^-126.
Exact exact_gelu(const at::Tensor& u) {
  const double root = std::sqrt(2 / std::numbers::pi);
  const at::Tensor w2 = 2 * root * (u + 0.044715 * u * u * u), s = at::sigmoid(w2);
  const at::Tensor inner = 2 * root * (1 + 3 * 0.044715 * u * u);
  const at::Tensor s_error = (8 + 6 * w2.abs()) * kFloat * s + kLeast;
  return {u * s, s + u * s * (1 - s) * inner, s_error * u.abs(),
          s_error * (1 + 2 * u.abs() * inner)};
}

struct Gradients {
  at::Tensor dx, dbias;
};

class BiasActivation : public testing::Test {
 protected:
  void SetUp() override {
    if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
    compat::seed_dropout(7);
  }

  static at::Tensor workspace(std::int64_t columns) {
    return at::empty({static_cast<std::int64_t>(column_sum_workspace(columns) / sizeof(float))},
                     at::TensorOptions().device(at::kCUDA));
  }

  static Gradients backward(Activation activation, const at::Tensor& kept, const float* bias,
                            const at::Tensor& dy) {
    const std::int64_t columns = kept.size(1);
    const Gradients gradients{unwritten(kept), unwritten(numbers({columns}))};
    launch_bias_activation_backward(activation, dy.const_data_ptr(), kept.const_data_ptr(), bias,
                                    gradients.dx.data_ptr(), gradients.dbias.data_ptr<float>(),
                                    workspace(columns).data_ptr<float>(), kept.size(0), columns,
                                    nullptr);
    return gradients;
  }
};

TEST_F(BiasActivation, IsItsFormulaAndItsGradients) {
  for (const Activation activation : {Activation::kGelu, Activation::kReluSquared})
    for (const bool with_bias : {true, false})
      for (const auto& [rows, columns] :
           {std::pair{1, 8}, {77, 264}, {1001, 768}, {5003, 1536}, {1003, 3072}, {20011, 384}}) {
        SCOPED_TRACE(testing::Message() << (activation == Activation::kGelu ? "gelu" : "relu2")
                                        << with_bias << " " << rows << " x " << columns);
        const at::Tensor x = (2 * numbers({rows, columns})).to(at::kBFloat16);
        const at::Tensor dy = numbers({rows, columns}, at::kBFloat16);
        const at::Tensor bias = 0.5 * numbers({columns});
        const float* const used = with_bias ? bias.const_data_ptr<float>() : nullptr;
        const at::Tensor y = unwritten(x), sums = unwritten(bias);
        launch_bias_activation(activation, x.const_data_ptr(), used, y.data_ptr(), rows, columns,
                               nullptr);
        const bool gelu = activation == Activation::kGelu;
        const auto gradients = [&] {
          return backward(activation, gelu ? x : y, gelu ? used : nullptr, dy);
        };
        const Gradients got = gradients();
        launch_column_sum(dy.const_data_ptr(), sums.data_ptr<float>(),
                          workspace(columns).data_ptr<float>(), rows, columns, nullptr);

        at::Tensor u = x.to(at::kDouble);
        if (with_bias) u = u + bias.to(at::kDouble);
        const Exact want = gelu ? exact_gelu(u) : exact_relu_squared(u);
        const at::Tensor u_error = kFloat * u.abs();
        expect_within(
            y, want.value,
            1.01 * (kBf16 * want.value.abs() + want.value_error + u_error * want.slope.abs()) +
                kLeast,
            "y");
        // |gelu''| <= 2.
        const Slope slope =
            gelu ? Slope{want.slope, want.slope_error + 2 * u_error} : slope_of_relu_squared(y);
        const at::Tensor g = dy.to(at::kDouble), dx = g * slope.value;
        const at::Tensor dx_error = g.abs() * slope.error + kLeast;
        expect_within(got.dx, dx, 1.01 * (kBf16 * dx.abs() + dx_error), "dx");
        // A column is added up in a thread, whose rows are at least 352 apart, then over 8 warps
        // and at most 528 blocks, 33 in a row: no number takes part in more additions than that.
        const double adding = (rows / 352.0 + 8 + 33 + 16) * kFloat;
        expect_within(got.dbias, dx.sum(0), (dx_error + adding * dx.abs()).sum(0), "dbias");
        expect_within(sums, g.sum(0), adding * g.abs().sum(0), "sums");
        EXPECT_TRUE(gradients().dbias.equal(got.dbias)) << "repeats itself";
        const at::Tensor in_place = x.clone();
        launch_bias_activation(activation, in_place.const_data_ptr(), used, in_place.data_ptr(),
                               rows, columns, nullptr);
        EXPECT_TRUE(in_place.equal(y)) << "y may be x";
      }
}

TEST_F(BiasActivation, KeepsWhatIsNoNumber) {
  const at::Tensor x = unwritten(numbers({3, 8}, at::kBFloat16)), y = at::empty_like(x);
  for (const Activation activation : {Activation::kGelu, Activation::kReluSquared}) {
    launch_bias_activation(activation, x.const_data_ptr(), nullptr, y.data_ptr(), 3, 8, nullptr);
    EXPECT_TRUE(y.isnan().all().item<bool>());
  }
}

}  // namespace
}  // namespace mgdm::ops::cuda

#endif
