#include "formats/floats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace mgdm::formats {
namespace {

// Every 16-bit number becomes a float and comes back; of two neighbours the nearer one is taken.
template <class ToFloat, class ToBits>
void expect_nearest(const ToFloat& to_float, const ToBits& to_bits, std::uint16_t infinity) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float number = to_float(static_cast<std::uint16_t>(bits));
    if (std::isnan(number)) {
      EXPECT_TRUE(std::isnan(to_float(to_bits(number))));
      continue;
    }
    ASSERT_EQ(to_bits(number), bits) << number;
    if ((bits & 0x7FFF) >= infinity) continue;
    const float next = to_float(static_cast<std::uint16_t>(bits + 1));
    if (std::isinf(next)) continue;
    const float middle = number + (next - number) / 2;
    EXPECT_EQ(to_bits(middle), bits % 2 == 0 ? bits : bits + 1);  // ties go to the even one
    EXPECT_EQ(to_bits(std::nextafter(middle, number)), bits);
    EXPECT_EQ(to_bits(std::nextafter(middle, next)), bits + 1);
  }
}

TEST(Floats, RoundToTheNearestBf16) {
  expect_nearest(float_of_bf16, bf16_of, 0x7F80);
  EXPECT_EQ(float_of_bf16(0x3FC0), 1.5f);
}

TEST(Floats, RoundToTheNearestF16) {
  expect_nearest(float_of_f16, f16_of, 0x7C00);
  EXPECT_EQ(float_of_f16(0x3E00), 1.5f);
  EXPECT_EQ(float_of_f16(0x0001), 0x1p-24f);
  EXPECT_EQ(f16_of(65519.0f), 0x7BFF);
  EXPECT_EQ(f16_of(65520.0f), 0x7C00);
  EXPECT_EQ(f16_of(-std::numeric_limits<float>::infinity()), 0xFC00);
  EXPECT_EQ(f16_of(0x1p-26f), 0);
}

TEST(Floats, GoThroughTensors) {
  const std::vector<float> numbers{1, -2.5f, 0.15625f};
  for (const Dtype dtype : {Dtype::kF32, Dtype::kBF16, Dtype::kF16}) {
    const std::vector<std::byte> bytes = from_floats(numbers, dtype);
    EXPECT_EQ(to_floats({"x", dtype, {3}, bytes}), numbers);
  }
  const std::vector<std::byte> bytes(8);
  EXPECT_THROW(to_floats({"x", Dtype::kI64, {1}, bytes}), Error);
}

}  // namespace
}  // namespace mgdm::formats
