// Casts to fp8 number by number. They run where there is a GPU.
#ifdef MGDM_CUDA

#include "ops/cuda/fp8_cast.h"

#include "ops/cuda/fp8_test_support.h"

namespace mgdm::ops::cuda {
namespace {

class Fp8Casts : public testing::Test {
 protected:
  void SetUp() override {
    if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
    compat::seed_dropout(7);
  }
};

// What a cast shall write, by the reference: x (rows, columns) is on the CPU, in double.
at::Tensor wanted_codes(const at::Tensor& x, double scale, NumberType type) {
  at::Tensor codes = at::empty(x.sizes(), at::kByte);
  const double* const from = x.data_ptr<double>();
  for (std::int64_t i = 0; i < x.numel(); ++i)
    codes.data_ptr<std::uint8_t>()[i] = fp8_code(from[i] / scale, type);
  return codes;
}

void expect_turned(const Fp8Made& got) {
  const std::int64_t rows = got.codes.size(0), length = got.turned.size(1);
  EXPECT_TRUE(got.turned.slice(1, 0, rows).equal(got.codes.t()));
  EXPECT_TRUE((got.turned.slice(1, rows, length) == 0).all().item<bool>());
}

// Of the numbers as they are, in bf16 or float.
void expect_cast(const at::Tensor& x, NumberType type) {
  const Fp8Made got = fp8_made(x, {.x = x.const_data_ptr(), .type = number_type_of(x)}, type);
  const at::Tensor here = x.cpu().to(at::kDouble).contiguous();
  const double largest = here.abs().max().item<double>(), scale = fp8_scale(largest, type);
  EXPECT_EQ(got.largest, largest);
  EXPECT_EQ(got.scale, scale);
  EXPECT_TRUE(got.codes.cpu().equal(wanted_codes(here, scale, type)));
  expect_turned(got);
}

// Every finite number of fp8, the middle between each two, and what lies right beside it; then the
// same times powers of two.
TEST_F(Fp8Casts, RoundEveryNumber) {
  for (const NumberType type : kFp8Types) {
    std::vector<double> all;
    for (int code = 0; code <= fp8_form(type).largest_code; ++code) {
      const auto low = static_cast<float>(fp8_value(static_cast<std::uint8_t>(code), type));
      const auto high = static_cast<float>(fp8_value(static_cast<std::uint8_t>(code + 1), type));
      std::vector<float> these{low};
      if (code < fp8_form(type).largest_code) {
        const float middle = (low + high) / 2;
        these.insert(these.end(), {std::nextafter(middle, 0.0f), middle,
                                   std::nextafter(middle, high), std::nextafter(high, 0.0f)});
      }
      for (const float number : these) {
        all.push_back(number);
        all.push_back(-number);
      }
    }
    while (all.size() % 8 != 0) all.push_back(0);
    const at::Tensor rows = at::tensor(all, at::kDouble).view({-1, 8});
    for (const int power : {0, -90, -20, 30, 90}) {
      SCOPED_TRACE(power);
      const at::Tensor scaled = (rows * std::ldexp(1, power)).to(at::kCUDA);
      expect_cast(scaled.to(at::kFloat), type);
      expect_cast(scaled.to(at::kBFloat16), type);
    }
  }
}

TEST_F(Fp8Casts, TakeMatricesOfEverySize) {
  for (const NumberType type : kFp8Types)
    for (const auto in : {at::kBFloat16, at::kFloat})
      for (const auto& [rows, columns] :
           {std::pair{1, 8}, {3, 64}, {17, 24}, {128, 64}, {130, 72}, {1000, 264}, {641, 3072}}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns);
        expect_cast(numbers({rows, columns}, in), type);
      }
}

TEST_F(Fp8Casts, ScaleWhatIsSmallLargeZeroOrNoNumber) {
  for (const NumberType type : kFp8Types) {
    const auto cast = [&](double value) {
      at::Tensor x = numbers({20, 16});
      x = value == 0 ? x * 0 : x / x.abs().max();
      if (value != 0) x.select(0, 7).select(0, 3).fill_(value);
      return fp8_made(x, {.x = x.const_data_ptr(), .type = NumberType::kFloat32}, type);
    };
    EXPECT_EQ(cast(0).scale, 1);
    EXPECT_TRUE((cast(0).codes.bitwise_and(0x7f) == 0).all().item<bool>());
    for (const double value : {448.0, 449.0, 57344.0, 57345.0, 1e30})
      EXPECT_EQ(cast(value).scale, fp8_scale(static_cast<float>(value), type)) << value;
    for (const double value : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      EXPECT_TRUE(std::isnan(cast(value).scale)) << value;
      EXPECT_TRUE((cast(value).codes.bitwise_and(0x7f) == 0x7f).all().item<bool>()) << value;
    }
    const at::Tensor tiny = at::full({20, 16}, 0x1p-140, numbers({1}).options());
    EXPECT_EQ(
        fp8_made(tiny, {.x = tiny.const_data_ptr(), .type = NumberType::kFloat32}, type).scale,
        0x1p-126);
  }
}

// The sum of the rows as they were, in a fixed order.
TEST_F(Fp8Casts, AddUpRows) {
  for (const auto& [rows, columns] : {std::pair{1, 8}, {130, 72}, {5003, 1536}, {20011, 384}}) {
    const at::Tensor x = numbers({rows, columns}, at::kBFloat16);
    const auto sums = [&] {
      return fp8_made(x, {.x = x.const_data_ptr()}, NumberType::kE5m2, /*with_sums=*/true).sums;
    };
    // A thread adds four rows of a tile of 128; tiles are shared out to as many blocks as there
    // are, or 528 of them over all columns; then come 4 groups, 8 warps, and the blocks, 33 in a
    // row.
    const double tiles = std::ceil(rows / 128.0) / std::max(1.0, 528 / std::ceil(columns / 64.0));
    const double adding = (4 * std::ceil(tiles) + 2 + 8 + 33 + 16) * kFloat;
    const at::Tensor exact = x.to(at::kDouble);
    expect_within(sums(), exact.sum(0), adding * exact.abs().sum(0), "sums");
    EXPECT_TRUE(sums().equal(sums())) << "repeats itself";
  }
}

// f(x + b) and its gradient, of which the kernel has approximations: what it rounds is off by some
// 2^-20 of it, and codes may be the neighbours of what they shall be.
TEST_F(Fp8Casts, ComputeActivations) {
  for (const Activation activation : {Activation::kGelu, Activation::kReluSquared})
    for (const bool gradient : {false, true})
      for (const bool with_bias : {true, false})
        for (const auto& [rows, columns] : {std::pair{1, 8}, {130, 72}, {1003, 3072}}) {
          SCOPED_TRACE(testing::Message()
                       << (activation == Activation::kGelu ? "gelu" : "relu2") << gradient
                       << with_bias << " " << rows << " x " << columns);
          const at::Tensor x = numbers({rows, columns}, at::kBFloat16);
          const at::Tensor dy = numbers({rows, columns}, at::kBFloat16);
          const at::Tensor bias = 0.5 * numbers({columns});
          const NumberType type = gradient ? NumberType::kE5m2 : NumberType::kE4m3;
          const Fp8Made got = fp8_made(x,
                                       {.x = x.const_data_ptr(),
                                        .activation = activation,
                                        .bias = with_bias ? bias.const_data_ptr<float>() : nullptr,
                                        .dy = gradient ? dy.const_data_ptr() : nullptr},
                                       type, gradient);
          at::Tensor u = x.to(at::kDouble);
          if (with_bias) u = u + bias.to(at::kDouble);
          u.set_requires_grad(true);
          const bool gelu = activation == Activation::kGelu;
          const at::Tensor y = gelu ? at::gelu(u, "tanh") : at::relu(u) * at::relu(u);
          y.sum().backward();
          at::Tensor want = y.detach(), error = 0x1p-20 * (1 + u.detach().pow(2));
          if (gradient) {
            want = u.grad() * dy.to(at::kDouble);
            error = error * 4 * dy.to(at::kDouble).abs();
          }
          EXPECT_NEAR(got.largest, want.abs().max().item<double>(), error.max().item<double>());
          EXPECT_EQ(got.scale, fp8_scale(got.largest, type));
          const Fp8Form form = fp8_form(type);
          expect_within(got.values(type), want,
                        1.001 * form.rounding * want.abs() + form.least * got.scale + 2 * error,
                        "values");
          expect_turned(got);
          if (gradient)
            expect_within(got.sums, want.sum(0), (error + 0x1p-16 * want.abs()).sum(0), "sums");
        }
}

}  // namespace
}  // namespace mgdm::ops::cuda

#endif
