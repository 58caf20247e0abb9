// Converts tensors of floating-point numbers to floats and back, rounding to nearest, ties to even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/safetensors.h"

namespace mgdm::formats {

// Reads F32, BF16 or F16; an Error names the tensor for any other type.
std::vector<float> to_floats(const TensorView& tensor);

// Writes F32, BF16 or F16, little endian.
std::vector<std::byte> from_floats(std::span<const float> numbers, Dtype dtype);

float float_of_bf16(std::uint16_t bits);
float float_of_f16(std::uint16_t bits);
std::uint16_t bf16_of(float number);
std::uint16_t f16_of(float number);

}  // namespace mgdm::formats
