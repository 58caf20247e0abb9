// Converts decoding settings for the kernels (ops/decoding_pass.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <span>

#include "decoding/decoding_settings.h"
#include "decoding/slots.h"
#include "nn/batch_tensors.h"
#include "nn/model.h"
#include "ops/decoding_rule.h"

namespace mgdm::engine {

// tokens (B, N) int64 with [MASK] at hidden positions, frozen (B, N) bool -> a prediction for every
// position.
using Predictor = std::function<nn::Prediction(const at::Tensor& tokens, const at::Tensor& frozen)>;

// The prediction of the last loop of a model, which must outlive the function. `bf16` computes
// matmuls in bf16 on CUDA; `loops` and `wanted` are as in nn::Input, and `wanted` is read at every
// call.
Predictor predictor_of(nn::Model& model, bool bf16 = false, std::int64_t loops = 0,
                       const at::Tensor& wanted = {});

// Puzzles of the same length as tensors on a device, with [MASK] wherever a token is not frozen.
nn::TensorRows tensors_of(std::span<const decoding::Puzzle* const> puzzles, c10::Device device);

// The settings as the kernels take them; nullopt when no kernel knows the order of decoding.
std::optional<ops::DecodingRule> rule_of(const decoding::DecodingSettings& settings);

// The number of positions, of L, that topk and margin mask after each pass: (T, N + 1) int32.
at::Tensor masked_counts(const decoding::DecodingSettings& settings, std::int64_t length);

}  // namespace mgdm::engine
