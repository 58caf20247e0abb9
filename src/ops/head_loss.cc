#include "ops/head_loss.h"

#include "ops/cuda/functions.h"

namespace mgdm::ops {

std::optional<at::Tensor> head_loss(const HiddenStates& states, const at::Tensor& targets,
                                    const at::Tensor& weight, const TokenLoss& form) {
  if (!cuda::head_loss_takes(states)) return std::nullopt;
  return cuda::head_loss(states, targets, weight, form);
}

}  // namespace mgdm::ops
