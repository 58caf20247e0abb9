// A loss from hidden states; the logits and their gradient are never written to memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace mgdm::ops {

// The predictions after each loop: hidden states (B, N, C), the weight of each loop, and the head
// (V, C) for their logits. With `shift` position n is read off hidden state n-1, and
// position 0 off its own.
struct HiddenStates {
  std::vector<at::Tensor> loops;
  std::vector<double> factors;
  at::Tensor head;
  bool shift = false;
};

// L = (1 - s) CE - s mean(log p), the cross entropy with label smoothing s, times
// alpha (1 - exp(-L))^beta where tokens are reweighted.
struct TokenLoss {
  bool reweight = false;
  double alpha = 1, beta = 1;
  double label_smoothing = 0;
};

// The sum over loops and positions of factor * weight * token loss, () float with gradient. targets
// (B, N) int64, weight (B, N) float. Nothing if there is no kernel: it needs CUDA, bf16 autocast, a
// small vocabulary and a supported width.
std::optional<at::Tensor> head_loss(const HiddenStates& states, const at::Tensor& targets,
                                    const at::Tensor& weight, const TokenLoss& form);

}  // namespace mgdm::ops
