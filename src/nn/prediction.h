// The prediction of a network for every position of its rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace mgdm::nn {

// Hidden states and the head that turns them into logits, so that a loss on hidden states does not
// need the logits in memory.
//
// Position n of the logits always predicts token n. With `shift` it comes from hidden state n-1, as
// in the paper's released code (position 0 uses its own). Autoregressive models need it.
class Prediction {
 public:
  // hidden (B, N, C), head (V, C).
  Prediction(at::Tensor hidden, at::Tensor head, bool shift);

  // A prediction from existing logits (B, N, V).
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

// The predictions after each loop; the last is the answer. A network without loops, or not in
// training, gives one.
struct Output {
  std::vector<Prediction> predictions;

  const Prediction& last() const { return predictions.back(); }
};

}  // namespace mgdm::nn
