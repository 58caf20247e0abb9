// exp and gelu, which are parts of other kernels, against the C library's in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "vectors/test_support.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vectors/exp_test.cc"
#include <hwy/foreach_target.h>
// After it, as Highway wants it.
#include <hwy/highway.h>

#include "vectors/exp-inl.h"
#include "vectors/floats-inl.h"
#include "vectors/gelu-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mgdm::vectors::HWY_NAMESPACE {
namespace {

template <class F>
void map(const std::vector<float>& x, std::vector<float>& y, const F& f) {
  for (std::size_t i = 0; i < x.size(); i += kLanes) {
    const std::size_t count = std::min(kLanes, x.size() - i);
    store_part(f(load_part(x.data() + i, count)), count, y.data() + i);
  }
}

void exp_here(const std::vector<float>& x, std::vector<float>& y) {
  map(x, y, [](Vector v) { return exp(kFloats, v); });
}

void gelu_here(const std::vector<float>& x, std::vector<float>& y) {
  map(x, y, [](Vector v) { return gelu(v); });
}

void gelu_derivative_here(const std::vector<float>& x, std::vector<float>& y) {
  map(x, y, [](Vector v) { return gelu_derivative(v); });
}

}  // namespace
}  // namespace mgdm::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mgdm::vectors {
namespace {

HWY_EXPORT(exp_here);
HWY_EXPORT(gelu_here);
HWY_EXPORT(gelu_derivative_here);

Floats between(float first, float last, float step) {
  Floats numbers;
  for (float x = first; x < last; x += step) numbers.push_back(x);
  return numbers;
}

TEST(Exp, IsThatOfTheLibrary) {
  const Floats x = between(-87, 88, 0.0137f);
  on_every_target([&] {
    Floats y(x.size());
    HWY_DYNAMIC_DISPATCH(exp_here)(x, y);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::max(
          worst, std::abs(static_cast<double>(y[i]) / std::exp(static_cast<double>(x[i])) - 1));
    EXPECT_LT(worst, 0x1p-22);  // two units in the last place
  });
}

TEST(Exp, HasEndsAndKeepsWhatIsNoNumber) {
  on_every_target([] {
    const float infinity = std::numeric_limits<float>::infinity();
    const Floats x{0, -1e30f, -infinity, infinity, std::nanf("")};
    Floats y(x.size());
    HWY_DYNAMIC_DISPATCH(exp_here)(x, y);
    EXPECT_EQ(y[0], 1);
    EXPECT_LT(y[1], 1e-37f);
    EXPECT_LT(y[2], 1e-37f);
    EXPECT_GT(y[3], 1e38f);
    EXPECT_TRUE(std::isnan(y[4]));
  });
}

TEST(Gelu, IsThatOfTheLibraryWithItsDerivative) {
  const Floats x = between(-12, 12, 0.0037f);
  on_every_target([&] {
    Floats y(x.size()), slope(x.size());
    HWY_DYNAMIC_DISPATCH(gelu_here)(x, y);
    HWY_DYNAMIC_DISPATCH(gelu_derivative_here)(x, slope);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double v = static_cast<double>(x[i]), root = std::sqrt(2 / M_PI);
      const double t = std::tanh(root * (v + 0.044715 * v * v * v));
      const double right = 0.5 * v * (1 + t);
      const double right_slope =
          0.5 * (1 + t) + 0.5 * v * (1 - t * t) * root * (1 + 3 * 0.044715 * v * v);
      ASSERT_NEAR(y[i], right, 2e-6) << v;  // of values up to 12
      ASSERT_NEAR(slope[i], right_slope, 2e-6) << v;
    }
  });
}

}  // namespace
}  // namespace mgdm::vectors
#endif
