// Rows as tensors on a device.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "data/rows.h"

namespace mgdm::nn {

struct TensorRows {
  at::Tensor tokens;  // (B, N) int64
  at::Tensor frozen;  // (B, N) bool
  at::Tensor items;   // (B) int64: the examples' numbers, which key their random draws
};

// The tensors share memory: one copy brings all to the device.
TensorRows tensors_of(const data::Rows& rows, c10::Device device);

// The parts of a batch: (B, N) int64, (B, N) bool, (B) int64.
at::Tensor tokens_tensor(std::span<const data::Token> tokens, std::int64_t rows,
                         c10::Device device);
at::Tensor bool_tensor(std::span<const std::uint8_t> bytes, std::int64_t rows, c10::Device device);
at::Tensor items_tensor(std::span<const std::uint32_t> items, c10::Device device);

// (B, N) on the CPU as they are: int32 and bytes.
at::Tensor narrow_tokens(std::span<const data::Token> tokens, std::int64_t rows);
at::Tensor bytes_tensor(std::span<const std::uint8_t> bytes, std::int64_t rows);

// The tokens of a row (N), back on the CPU.
std::vector<data::Token> tokens_of(const at::Tensor& row);

}  // namespace mgdm::nn
