// Converts decoding settings for the kernels (ops/decoding_pass.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <span>

#include "decoding/decoding_settings.h"
#include "decoding/slots.h"
#include "nn/batch_tensors.h"
#include "ops/decoding_rule.h"

namespace mgdm::engine {

// Tries of the same length as tensors on a device.

struct PuzzleTensors : nn::TensorRows {  // tokens have [MASK] wherever not frozen
  at::Tensor first_draw;                 // (B) int64: decoding::draw_step of each try's first pass
};

PuzzleTensors tensors_of(std::span<const decoding::Try> tries, c10::Device device);

// The settings as the kernels take them; nullopt when no kernel knows the order of decoding.
std::optional<ops::DecodingRule> rule_of(const decoding::DecodingSettings& settings);

// The number of positions, of L, that topk and margin mask after each pass: (T, N + 1) int32.
at::Tensor masked_counts(const decoding::DecodingSettings& settings, std::int64_t length);

}  // namespace mgdm::engine
