// Tensors of floating-point numbers as floats and back, rounding to the nearest and ties to even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/safetensors.h"

namespace mgdm::formats {

// Of F32, BF16 or F16; an Error names the tensor otherwise.
std::vector<float> to_floats(const TensorView& tensor);

// As F32, BF16 or F16, little endian.
std::vector<std::byte> from_floats(std::span<const float> numbers, Dtype dtype);

float float_of_bf16(std::uint16_t bits);
float float_of_f16(std::uint16_t bits);
std::uint16_t bf16_of(float number);
std::uint16_t f16_of(float number);

}  // namespace mgdm::formats
