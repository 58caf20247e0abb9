// 8-bit floats in plain C++: what the kernels are tested against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ops/cuda/number_type.h"

namespace mgdm::ops::cuda {

struct Fp8Form {
  int fraction_bits;
  int bias;                   // of the exponent
  std::uint8_t largest_code;  // of the finite ones
  double rounding;            // at most so much of a number is lost, ...
  double least;               // ... or so much of a very small one
};

inline Fp8Form fp8_form(NumberType type) {
  return type == NumberType::kE4m3 ? Fp8Form{3, 7, 0x7e, 0x1p-4, 0x1p-10}
                                   : Fp8Form{2, 15, 0x7b, 0x1p-3, 0x1p-17};
}

// e4m3 has no infinity, and one NaN of each sign.
inline double fp8_value(std::uint8_t code, NumberType type) {
  const Fp8Form form = fp8_form(type);
  const int size = code & 0x7f, ones = 1 << form.fraction_bits;
  const int exponent = size >> form.fraction_bits, fraction = size % ones;
  double value = exponent == 0
                     ? std::ldexp(fraction, 1 - form.bias - form.fraction_bits)
                     : std::ldexp(ones + fraction, exponent - form.bias - form.fraction_bits);
  if (size > form.largest_code)
    value = type == NumberType::kE5m2 && fraction == 0 ? std::numeric_limits<double>::infinity()
                                                       : std::numeric_limits<double>::quiet_NaN();
  return (code & 0x80) != 0 ? -value : value;
}

// The nearest of the finite codes; of two that are as near the even one.
inline std::uint8_t fp8_code(double x, NumberType type) {
  if (std::isnan(x)) return 0x7f;
  static const auto values_of = [](NumberType of) {
    std::vector<double> values;
    for (int code = 0; code <= fp8_form(of).largest_code; ++code)
      values.push_back(fp8_value(static_cast<std::uint8_t>(code), of));
    return values;
  };
  static const std::vector<double> e4m3 = values_of(NumberType::kE4m3),
                                   e5m2 = values_of(NumberType::kE5m2);
  const std::vector<double>& values = type == NumberType::kE4m3 ? e4m3 : e5m2;
  const double size = std::min(std::abs(x), values.back());
  auto code = static_cast<int>(std::ranges::lower_bound(values, size) - values.begin());
  if (code > 0) {  // size is in (below, above]
    const double below = size - values[static_cast<std::size_t>(code - 1)],
                 above = values[static_cast<std::size_t>(code)] - size;
    if (below < above || (below == above && code % 2 == 1)) --code;
  }
  return static_cast<std::uint8_t>(code | (std::signbit(x) ? 0x80 : 0));
}

// The least power of two by which a matrix with this largest number fits.
inline double fp8_scale(double largest, NumberType type) {
  if (!std::isfinite(largest)) return std::numeric_limits<double>::quiet_NaN();
  if (largest == 0) return 1;
  const double most = fp8_value(fp8_form(type).largest_code, type);
  int exponent = -126;  // as far as a float's power of two and its inverse go
  while (std::ldexp(most, exponent) < largest) ++exponent;
  return std::ldexp(1, exponent);
}

}  // namespace mgdm::ops::cuda
