// Gradient checkpointing (Chen et al., 2016): a part of a network that keeps no intermediate values
// and recomputes them in the backward pass.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace mgdm::nn {

using Part = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& inputs)>;

// Returns part(inputs). Gradients go to the inputs and to `weights`, the trained tensors of the
// part; its other tensors must not need any. Both computations must be equal, so dropout is not
// allowed. The part and all it refers to must live until the end of the backward pass.
std::vector<at::Tensor> recomputed(const Part& part, const std::vector<at::Tensor>& inputs,
                                   const std::vector<at::Tensor>& weights);

}  // namespace mgdm::nn
