// Converts decoding settings for the kernels (ops/decoding_pass.h, ops/answer.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "decoding/decoding_settings.h"
#include "ops/decoding_rule.h"

namespace mgdm::engine {

// The settings as the kernels take them; nullopt when no kernel knows the order of decoding.
std::optional<ops::DecodingRule> rule_of(const decoding::DecodingSettings& settings);

// The number of positions, of L, that topk and margin mask after each pass: (T, N + 1) int32.
at::Tensor masked_counts(const decoding::DecodingSettings& settings, std::int64_t length);

}  // namespace mgdm::engine
