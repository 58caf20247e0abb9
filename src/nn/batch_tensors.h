// Rows of bytes as tensors on a device.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace mgdm::nn {

// (B, N) bytes on the CPU.
at::Tensor bytes_tensor(std::span<const std::uint8_t> bytes, std::int64_t rows);

// (B, N) int64 on the device, from B * N bytes.
at::Tensor tokens_tensor(std::span<const std::uint8_t> bytes, std::int64_t rows,
                         c10::Device device);

// (B, N) bool.
at::Tensor bool_tensor(std::span<const std::uint8_t> bytes, std::int64_t rows, c10::Device device);

// (B) int64.
at::Tensor items_tensor(std::span<const std::uint32_t> items, c10::Device device);

}  // namespace mgdm::nn
