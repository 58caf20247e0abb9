// A part of a network that keeps none of what it computes for the backward pass, and computes it
// again there (gradient checkpointing; Chen et al., 2016).
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace mgdm::nn {

using Part = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& inputs)>;

// part(inputs). Gradients go to the inputs and to `weights`, the trained tensors that the part
// uses; other tensors that it uses may not need any. The part must compute the same twice: it may
// not draw (dropout), and it and what it refers to must live until the backward pass is over.
std::vector<at::Tensor> recomputed(const Part& part, const std::vector<at::Tensor>& inputs,
                                   const std::vector<at::Tensor>& weights);

}  // namespace mgdm::nn
