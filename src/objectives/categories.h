// The categories of a position under multinomial noise: [PAD], [EOS] and the ordinary tokens, K = V
// - 3 of them. [SEP], [MASK] and [UNK] never occur in an answer, so they are neither noise nor
// predicted.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mgdm::objectives {

constexpr std::int64_t kNoCategory = 3;  // special tokens left out: V - kNoCategory = K

// Categories 0, 1, 2, ... are [PAD], [EOS] and the ordinary tokens.
at::Tensor token_of_category(const at::Tensor& category);

// Other tokens, which only frozen positions have, get an arbitrary category.
at::Tensor category_of_token(const at::Tensor& token);

// log of the network's distribution over categories, (B, N, K) in float32 (double stays double),
// from logits (B, N, V).
at::Tensor category_log_probs(const at::Tensor& logits);

}  // namespace mgdm::objectives
