// A weight that is used several times in one pass, as those of a looped network are.
//
// Autograd gives every use a gradient of its own and adds them up: each addition reads two matrices
// and writes one. Instead, uses whose product can add while it writes do so, all into one tensor:
//
//   parameter <- SharedWeight <- the weight as its uses take it <- use 1, use 2, ...
//
// In the backward pass a use adds to the sum, at once or with others, and hands on no gradient.
// Autograd calls SharedWeight after the last of them, and it hands the sum to the parameter, with
// the gradients of uses that know nothing of all this. The sum belongs to one forward pass and ends
// with its graph. Nobody but the parameter may be asked for its gradient, all uses are on one
// stream, and after a backward pass that failed the graph is no good for another.
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

// A gradient dy^T x, of matrices (rows, outputs) and (rows, inputs).
struct GradientProduct {
  at::Tensor dy{}, x{};
};

// For a use of a weight, shared or not. `number` is the weight's place among the tensors that its
// Function was given, from 0; optional ones that are missing are not counted. The forward pass says
// ...
void save_weight(torch::autograd::AutogradContext* context, std::size_t number,
                 const at::Tensor& weight);
// ... and the backward pass returns this as the weight's gradient. make(onto) is to add the
// gradient to `onto`, in place, and to return it; where `onto` is undefined, to return a new
// tensor. It is called only where somebody wants the gradient. `product`, if given, is the same
// gradient as two matrices: where there is a kernel for it, it waits for those of other uses
// instead, and one launch sums up several. Until then the matrices are kept.
at::Tensor weight_gradient(torch::autograd::AutogradContext* context, std::size_t number,
                           const std::function<at::Tensor(const at::Tensor& onto)>& make,
                           const GradientProduct& product = {});

}  // namespace mgdm::ops
