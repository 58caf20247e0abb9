// A weight that is used several times in one pass, as in a looped network.
//
// Autograd computes a gradient per use and adds them up; each addition reads two matrices and
// writes one. Here, uses whose matmul can accumulate add into one tensor instead:
//
//   parameter <- SharedWeight <- the weight as its uses take it <- use 1, use 2, ...
//
// In the backward pass a use adds to the sum and returns no gradient.
// Autograd calls SharedWeight after the last use, which adds the gradients of ordinary uses and
// passes the sum to the parameter. The sum belongs to one forward pass and ends with its graph.
// Only the parameter's gradient may be requested, all uses must be on one stream, and the graph
// cannot be used again after a failed backward pass.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>

namespace torch::autograd {
struct AutogradContext;
}

namespace mgdm::ops {

// The weight, for linear() and MLPs of the pass that begins: where their products will add up its
// gradient, another tensor of the same numbers in the same memory; elsewhere the weight itself. The
// pass must not be one whose parts are computed again (nn/recompute.h).
at::Tensor shared_weight(const at::Tensor& weight);

// Always the other tensor, on any device (for tests).
at::Tensor with_summed_gradient(const at::Tensor& parameter);

// The parameter behind such a weight; of any other, the weight itself. What is made of a parameter
// once a step, as autocast's copy is, has to be made of this one.
at::Tensor parameter_of(const at::Tensor& weight);

// For a use of a weight, shared or not. `number` is the weight's place among the tensors that its
// Function was given, from 0; optional ones that are missing are not counted. The forward pass says
// ...
void save_weight(torch::autograd::AutogradContext* context, std::size_t number,
                 const at::Tensor& weight);
// ... and the backward pass returns this as the weight's gradient. make(onto) is to add the
// gradient to `onto`, in place, and to return it; where `onto` is undefined, to return a new
// tensor. It is called only where somebody wants the gradient.
at::Tensor weight_gradient(torch::autograd::AutogradContext* context, std::size_t number,
                           const std::function<at::Tensor(const at::Tensor& onto)>& make);

}  // namespace mgdm::ops
