// bf16: the upper half of a float.
#pragma once

#include <bit>
#include <cstdint>

namespace mgdm::runtime {

inline float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// The nearest, of two equally near the even one. For finite numbers.
inline std::uint16_t to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

}  // namespace mgdm::runtime
