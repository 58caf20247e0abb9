#include "nn/recompute.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstddef>
#include <utility>

#include "compat/device.h"
#include "ops/our_kernels.h"

namespace mgdm::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What the second time needs: the backward pass may run in another thread, which knows neither of
// mixed precision nor of whose kernels are wanted.
struct Again : torch::CustomClassHolder {
  Part part;
  std::size_t inputs = 0;
  bool autocast = false, our_kernels = true;
};

// Inputs and weights one behind the other.
struct Recomputed : torch::autograd::Function<Recomputed> {
  static variable_list forward(AutogradContext* context, at::TensorList tensors,
                               const c10::intrusive_ptr<Again>& again) {
    context->saved_data["again"] = c10::IValue::make_capsule(again);
    context->save_for_backward(tensors.vec());
    const at::NoGradGuard no_grad;
    return again->part(tensors.slice(0, again->inputs).vec());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto again =
        c10::static_intrusive_pointer_cast<Again>(context->saved_data["again"].toCapsule());
    const variable_list saved = context->get_saved_variables();
    variable_list inputs, leaves;
    for (std::size_t i = 0; i < saved.size(); ++i) {
      const bool input = i < again->inputs;
      // Inputs become leaves of a small graph; the weights are their own.
      at::Tensor leaf = saved[i];
      if (input) leaf = leaf.detach().set_requires_grad(saved[i].requires_grad());
      if (input) inputs.push_back(leaf);
      if (leaf.requires_grad()) leaves.push_back(leaf);
    }
    variable_list outputs, wanted, of;
    {
      const at::AutoGradMode with_grad(true);
      const compat::Autocast autocast(saved.front().device(), again->autocast);
      const ops::WithoutOurKernels without(!again->our_kernels);
      outputs = again->part(inputs);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (gradients[i].defined() && outputs[i].requires_grad()) {
        wanted.push_back(outputs[i]);
        of.push_back(gradients[i]);
      }
    const variable_list found =
        torch::autograd::grad(wanted, leaves, of, /*retain_graph=*/false, /*create_graph=*/false,
                              /*allow_unused=*/true);
    // In the order of forward's arguments: every tensor of the list, and `again`.
    variable_list all;
    std::size_t next = 0;
    for (const at::Tensor& tensor : saved)
      all.push_back(tensor.requires_grad() ? found[next++] : at::Tensor());
    all.emplace_back();
    return all;
  }
};

}  // namespace

std::vector<at::Tensor> recomputed(const Part& part, const std::vector<at::Tensor>& inputs,
                                   const std::vector<at::Tensor>& weights) {
  auto again = c10::make_intrusive<Again>();
  again->part = part;
  again->inputs = inputs.size();
  again->autocast = compat::autocasts(inputs.front().device());
  again->our_kernels = ops::with_our_kernels();
  variable_list tensors = inputs;
  tensors.insert(tensors.end(), weights.begin(), weights.end());
  return Recomputed::apply(at::TensorList(tensors), again);
}

}  // namespace mgdm::nn
