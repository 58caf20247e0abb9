#include "formats/floats.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::formats {
namespace {

template <class From, class To, class Convert>
void convert(const void* from, void* to, std::size_t count, const Convert& one) {
  for (std::size_t i = 0; i < count; ++i) {  // copied number by number: files do not align them
    From number;
    std::memcpy(&number, static_cast<const std::byte*>(from) + i * sizeof(From), sizeof(From));
    const To converted = one(number);
    std::memcpy(static_cast<std::byte*>(to) + i * sizeof(To), &converted, sizeof(To));
  }
}

}  // namespace

float float_of_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t bf16_of(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  if (std::isnan(number)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

float float_of_f16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
  if (exponent == 0x1F)  // infinity, NaN
    return std::bit_cast<float>(sign | 0x7F800000 | fraction << 13);
  if (exponent == 0) {  // zero and what is smaller than 2^-14: fraction 2^-24
    const float size = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -size : size;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

std::uint16_t f16_of(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const float size = std::fabs(number);
  if (std::isnan(number)) return sign | 0x7E00;
  if (size >= 65520.0f) return sign | 0x7C00;  // beyond half a step above the largest
  if (size < 0x1p-14f)                         // whole multiples of 2^-24
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(size, 24))));
  const std::uint32_t rounded = (bits & 0x7FFFFFFF) + 0xFFF + (bits >> 13 & 1);
  return static_cast<std::uint16_t>(sign | ((rounded - (112u << 23)) >> 13));
}

std::vector<float> to_floats(const TensorView& tensor) {
  const std::size_t count = tensor.bytes.size() / size_of(tensor.dtype);
  std::vector<float> numbers(count);
  const void* const from = tensor.bytes.data();
  if (tensor.dtype == Dtype::kF32)
    std::memcpy(numbers.data(), from, tensor.bytes.size());
  else if (tensor.dtype == Dtype::kBF16)
    convert<std::uint16_t, float>(from, numbers.data(), count, float_of_bf16);
  else if (tensor.dtype == Dtype::kF16)
    convert<std::uint16_t, float>(from, numbers.data(), count, float_of_f16);
  else
    throw Error(
        fmt::format("tensor {} is of type {}", in_quotes(tensor.name, 200), name_of(tensor.dtype)),
        "F32, BF16 or F16");
  return numbers;
}

std::vector<std::byte> from_floats(std::span<const float> numbers, Dtype dtype) {
  std::vector<std::byte> bytes(numbers.size() * size_of(dtype));
  if (dtype == Dtype::kF32)
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
  else if (dtype == Dtype::kBF16)
    convert<float, std::uint16_t>(numbers.data(), bytes.data(), numbers.size(), bf16_of);
  else if (dtype == Dtype::kF16)
    convert<float, std::uint16_t>(numbers.data(), bytes.data(), numbers.size(), f16_of);
  else
    throw Error(fmt::format("floats as {}", name_of(dtype)), "F32, BF16 or F16");
  return bytes;
}

}  // namespace mgdm::formats
