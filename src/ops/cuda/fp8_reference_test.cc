#include "ops/cuda/fp8_reference.h"

#include <gtest/gtest.h>

namespace mgdm::ops::cuda {
namespace {

constexpr NumberType kBothFp8[] = {NumberType::kE4m3, NumberType::kE5m2};

// Some rows of table 1 of "FP8 formats for deep learning".
TEST(Fp8Reference, HasTheNumbersOfThePaper) {
  const auto e4m3 = [](int code) {
    return fp8_value(static_cast<std::uint8_t>(code), NumberType::kE4m3);
  };
  const auto e5m2 = [](int code) {
    return fp8_value(static_cast<std::uint8_t>(code), NumberType::kE5m2);
  };
  EXPECT_EQ(e4m3(0x7e), 448);
  EXPECT_EQ(e4m3(0xfe), -448);
  EXPECT_EQ(e4m3(0x38), 1);
  EXPECT_EQ(e4m3(0x08), 0x1p-6);
  EXPECT_EQ(e4m3(0x07), 0.875 * 0x1p-6);
  EXPECT_EQ(e4m3(0x01), 0x1p-9);
  EXPECT_TRUE(std::isnan(e4m3(0x7f)));
  EXPECT_EQ(e5m2(0x7b), 57344);
  EXPECT_EQ(e5m2(0x3c), 1);
  EXPECT_EQ(e5m2(0x04), 0x1p-14);
  EXPECT_EQ(e5m2(0x03), 0.75 * 0x1p-14);
  EXPECT_EQ(e5m2(0x01), 0x1p-16);
  EXPECT_TRUE(std::isinf(e5m2(0x7c)));
  EXPECT_TRUE(std::isnan(e5m2(0x7d)));
}

TEST(Fp8Reference, RoundsToTheNearestAndToEven) {
  for (const NumberType type : kBothFp8) {
    const Fp8Form form = fp8_form(type);
    for (int code = 0; code < form.largest_code; ++code) {
      const double low = fp8_value(static_cast<std::uint8_t>(code), type),
                   high = fp8_value(static_cast<std::uint8_t>(code + 1), type);
      const double middle = (low + high) / 2;
      EXPECT_EQ(fp8_code(low, type), code);
      EXPECT_EQ(fp8_code(-low, type), code | 0x80);
      EXPECT_EQ(fp8_code(std::nextafter(middle, 0), type), code);
      EXPECT_EQ(fp8_code(std::nextafter(middle, 1e9), type), code + 1);
      EXPECT_EQ(fp8_code(middle, type), code + code % 2);
      EXPECT_LE(middle - low, std::max(form.rounding * middle, form.least));
    }
    EXPECT_EQ(fp8_code(1e9, type), form.largest_code);
    EXPECT_EQ(fp8_code(std::nan(""), type), 0x7f);
  }
}

TEST(Fp8Reference, ScalesByTheLeastPowerOfTwo) {
  for (const NumberType type : kBothFp8) {
    const double most = fp8_value(fp8_form(type).largest_code, type);
    EXPECT_EQ(fp8_scale(most, type), 1);
    EXPECT_EQ(fp8_scale(most * (1 + 0x1p-20), type), 2);
    EXPECT_EQ(fp8_scale(most / 2, type), 0.5);
    EXPECT_EQ(fp8_scale(0, type), 1);
    EXPECT_TRUE(std::isnan(fp8_scale(std::numeric_limits<double>::infinity(), type)));
  }
}

}  // namespace
}  // namespace mgdm::ops::cuda
