// What a network says about every position of its rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace mgdm::nn {

// Hidden states and the head that makes logits of them, so that who can do without the logits (a
// loss from hidden states) need not have them in memory.
//
// Position n of the logits is about token n, always. With `shift` it is read off hidden state n-1,
// as the paper's released code does (position 0 reuses its own): an autoregressive model must, a
// diffusion model may.
class Prediction {
 public:
  // hidden (B, N, C), head (V, C).
  Prediction(at::Tensor hidden, at::Tensor head, bool shift);

  // Of logits (B, N, V) that are there already.
  Prediction(at::Tensor logits);  // NOLINT(google-explicit-constructor): logits are a prediction

  // (B, N, V), fp32 also in mixed precision, where a bf16 logit of 16 could not tell two tokens
  // apart that differ by less than 0.06. Computed at every call, unless they were given.
  at::Tensor logits() const;

  // Undefined for logits that were given.
  const at::Tensor& hidden() const { return hidden_; }
  const at::Tensor& head() const { return head_; }
  bool shift() const { return shift_; }

 private:
  at::Tensor hidden_, head_, logits_;
  bool shift_ = false;
};

// Logits (..., V) from hidden states (..., C) by a table (V, C), in the precision of the table.
at::Tensor apply_head(const at::Tensor& hidden, const at::Tensor& table);

// The predictions after each loop, the last one being the answer; a network without loops, or one
// that is not training, gives one.
struct Output {
  std::vector<Prediction> predictions;

  const Prediction& last() const { return predictions.back(); }
};

}  // namespace mgdm::nn
