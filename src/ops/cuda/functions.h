// Our CUDA kernels on tensors, with gradients, for the operations one folder up. Those ask
// X_takes() first, and compute with LibTorch's operations where it says no: in a build without CUDA
// it always does.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "base/random.h"
#include "ops/attention.h"
#include "ops/decoding_pass.h"
#include "ops/head_loss.h"
#include "ops/layers.h"
#include "ops/residual_norm.h"
#include "ops/shared_weight.h"

namespace mgdm::ops::cuda {

// What ops/draws.h uniform() promises, in one kernel: (B, columns).
at::Tensor uniform(std::uint64_t seed, Purpose purpose, const at::Tensor& items,
                   const at::Tensor& step, std::int64_t columns);

// What ops/decoding_pass.h promises.
bool decoding_pass_takes(c10::Device device, std::int64_t length, std::int64_t vocabulary);
void decoding_pass(const at::Tensor& logits, const DecodingRule& rule, const DecodingTry& now,
                   const DecodingRows& rows);
bool decoding_head_takes(const at::Tensor& hidden, const at::Tensor& head, std::int64_t length);
void decoding_pass(const at::Tensor& hidden, const at::Tensor& head, bool shift,
                   const DecodingRule& rule, const DecodingTry& now, const DecodingRows& rows,
                   const at::Tensor& places);

// What ops/decoding_pass.h promises of whole answers.
bool answer_takes(const Transformer& network, const AnswerRows& rows);
std::int64_t answer_workspace(const Transformer& network, const AnswerRows& rows);  // bytes
void answer(const Transformer& network, const DecodingRule& rule, const AnswerTry& now,
            const AnswerRows& rows, const Answers& answers);

// The kernels below work in bf16 mixed precision: the residual stream is fp32, or bf16 where it
// is short (ops/residual_norm.h); what matrix products read and write is bf16.

// What ops/layers.h promises of embed().
bool embed_takes(const EmbeddingTables& tables, const Shown& shown);
at::Tensor embed(const EmbeddingTables& tables, const Shown& shown, double dropped);

// Whether there is a kernel for rows like those of x, here and now: CUDA, bf16 autocast, the width.
// A branch with a bias is for layer norms, and in bf16.
bool residual_norm_takes(const at::Tensor& x, const Branch& branch, const Norm& norm);

// branch: bf16 or fp32, or undefined. y is what x is, n bf16. Dropout draws from LibTorch's
// generator, as LibTorch's own dropout does.
ResidualNorm residual_norm(const at::Tensor& x, const Branch& branch, const Norm& norm,
                           double dropped);
// residual_norm() without dropout and gradients, with y written over x.
ResidualNorm residual_norm_onto(const at::Tensor& x, const Branch& branch, const Norm& norm);
// residual_norm() of the W rows of x (.., C) that `picked` (W) numbers: without gradients, always
// with a branch.
ResidualNorm residual_norm_of(const at::Tensor& x, const at::Tensor& picked, const Branch& branch,
                              const Norm& norm);

// What ops/residual_norm.h promises, in bf16.
bool short_streams_take(const at::Tensor& x);
std::vector<at::Tensor> short_streams(const at::Tensor& x, std::int64_t count);

// qkv (B, N, 3, H, D) bf16 -> (B, N, H D) bf16, heads normalised where the form says so.
bool attention_takes(const at::Tensor& qkv);
at::Tensor attention(const at::Tensor& qkv, const AttentionForm& form, const at::Tensor& bias = {});
bool attention_at_takes(const at::Tensor& qkv, const at::Tensor& places, const AttentionForm& form);
at::Tensor attention_at(const at::Tensor& qkv, const at::Tensor& places, const AttentionForm& form);

// Whether it sums up the gradient of a bias (3 H D) that was added to qkv, for heads of this size
// made of x (B, N, C). The bias is then given to it, and detached to who adds it.
bool attention_takes_bias(const at::Tensor& x, std::int64_t size, const at::Tensor& bias);

// What ops/head_loss.h promises.
bool head_loss_takes(const HiddenStates& states);
at::Tensor head_loss(const HiddenStates& states, const at::Tensor& targets,
                     const at::Tensor& weight, const TokenLoss& form);

// What ops/layers.h promises, for x in bf16 and parameters in float.
bool linear_takes(const at::Tensor& x, const at::Tensor& weight);
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  const at::Tensor& stream = {});
bool stream_takes_products(const at::Tensor& stream);
bool mlp_takes(const at::Tensor& x, const Mlp& mlp);
Branch mlp_gelu(const at::Tensor& x, const Mlp& mlp);
Branch mlp_relu_squared(const at::Tensor& x, const Mlp& mlp, const at::Tensor& stream);

// Whether linear() and the MLPs add up the gradient of this weight over several uses
// (ops/shared_weight.h).
bool sums_gradient_of(const at::Tensor& weight);

}  // namespace mgdm::ops::cuda
