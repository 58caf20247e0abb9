// What a network is to a diffusion decoder: a function from what is shown to logits.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "data/vocabulary.h"
#include "nn/model.h"

namespace mgdm::engine {

// tokens (B, N) int64 with [MASK] at hidden positions, frozen (B, N) bool -> logits (B, N, V),
// position n about token n.
using Network = std::function<at::Tensor(const at::Tensor& tokens, const at::Tensor& frozen)>;

// The same, where nobody need have seen the logits.
using Predictor = std::function<nn::Prediction(const at::Tensor& tokens, const at::Tensor& frozen)>;

// The last loop's prediction of a model, which must outlive it. `bf16` and `loops` as below;
// `wanted` as nn::Input has it, read at every call.
Predictor predictor_of(nn::Model& model, bool bf16 = false, std::int64_t loops = 0,
                       const at::Tensor& wanted = {});

// The last loop's logits of a model, which must outlive the network. `bf16` computes matrix
// products in bf16 on CUDA; `loops` other than 0 is how often a looped model applies its blocks.
Network network_of(nn::Model& model, bool bf16 = false, std::int64_t loops = 0);

// Log-probabilities (..., V) in fp32. [MASK], [SEP] and [UNK] are never an answer and get none of
// the probability; [EOS] and [PAD] are, because the length of an answer is learned.
at::Tensor answer_log_probs(const at::Tensor& logits, const data::Specials& specials = {});

}  // namespace mgdm::engine
