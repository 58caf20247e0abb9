// What the objectives share: draws of noise, weights, categories, the loss of one token.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace mgdm::objectives {

// Noise level t = 0..T-1 here is t + 1 in the paper's appendix, which counts 1..T:
// 1 - alpha_t = (t + 1) / T.
//
// u are uniform numbers from ops/draws.h. Comparisons are written with products, which round alike
// on every device; u T < T for all u < 1 in float32 too.

// Uniform over 0..n-1 from u in [0, 1): int64.
at::Tensor below(const at::Tensor& u, std::int64_t n);

// True with probability numerator / denominator, by u (B, N) and integers (B) or one number.
at::Tensor chosen(const at::Tensor& u, const at::Tensor& numerator, const at::Tensor& denominator);
at::Tensor chosen(const at::Tensor& u, const at::Tensor& numerator, std::int64_t denominator);

// w(t): "none" 1, "original" 1 / (t + 1) (the lambda_t of the ELBO), "linear" T - t. (B) float.
at::Tensor sequence_weight(const std::string& name, const at::Tensor& t, std::int64_t steps);

// The categories of a position under multinomial noise: [PAD], [EOS] and the ordinary tokens, K = V
// - 3 of them. [SEP], [MASK] and [UNK] never occur in an answer, so they are neither noise nor
// predicted.
constexpr std::int64_t kNoCategory = 3;  // special tokens left out: V - kNoCategory = K

// Categories 0, 1, 2, ... are [PAD], [EOS] and the ordinary tokens.
at::Tensor token_of_category(const at::Tensor& category);

// Other tokens, which only frozen positions have, get an arbitrary category.
at::Tensor category_of_token(const at::Tensor& token);

// log of the network's distribution over categories, (B, N, K) in float32 (double stays double),
// from logits (B, N, V).
at::Tensor category_log_probs(const at::Tensor& logits);

// -log p(target) for each position of logits (B, N, V) and targets (B, N) int64: (B, N), in float32
// whatever the logits are (double stays double, for tests). With label smoothing s the target
// distribution is (1 - s) onehot + s / V.
at::Tensor token_cross_entropy(const at::Tensor& logits, const at::Tensor& targets,
                               double label_smoothing = 0);

// The token reweighting of paper eq. 8, v = alpha (1 - p)^beta with p = exp(-CE): hard tokens weigh
// more. The gradient flows through it, as in the released code; beta >= 1 keeps that finite at
// p = 1. On a GPU Objective::fused_loss computes the same in a kernel (ops/head_loss.h); another
// form of the weight must not use that kernel.
at::Tensor token_weight(const at::Tensor& cross_entropy, double alpha, double beta);

}  // namespace mgdm::objectives
