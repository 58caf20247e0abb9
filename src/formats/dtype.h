// The element types of the safetensors format.
//
//   size_of(Dtype::kBF16) == 2;  name_of(Dtype::kBF16) == "BF16";  dtype_named("BF16")
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/safetensors.h"

namespace mgdm::formats {

// Converts tensors of floating-point numbers to floats and back, rounding to nearest, ties to even.

// Reads F32, BF16 or F16; an Error names the tensor for any other type.
std::vector<float> to_floats(const TensorView& tensor);

// Writes F32, BF16 or F16, little endian.
std::vector<std::byte> from_floats(std::span<const float> numbers, Dtype dtype);

float float_of_bf16(std::uint16_t bits);
float float_of_f16(std::uint16_t bits);
std::uint16_t bf16_of(float number);
std::uint16_t f16_of(float number);

enum class Dtype {
  kBool,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kF64,
  kI64,
  kU64,
};

std::size_t size_of(Dtype dtype);  // bytes per element
std::string_view name_of(Dtype dtype);
std::optional<Dtype> dtype_named(std::string_view name);

// All names, for messages.
std::vector<std::string> dtype_names();

}  // namespace mgdm::formats
