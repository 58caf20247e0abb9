#include "ops/shared_weight.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <memory>
#include <string>
#include <utility>

#include "ops/cuda/functions.h"

namespace mgdm::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The sum of the backward pass that runs.
struct WeightGradient : torch::CustomClassHolder {
  at::Tensor sum;
};

struct SharedWeight : torch::autograd::Node {
  explicit SharedWeight(at::Tensor of)
      : Node(torch::autograd::collect_next_edges(of)), parameter(std::move(of)) {}

  variable_list apply(variable_list&& gradients) override {
    at::Tensor sum = std::exchange(gradient->sum, at::Tensor());
    at::Tensor& others = gradients[0];
    if (!sum.defined()) return {std::move(others)};
    if (others.defined()) sum += others;
    return {std::move(sum)};
  }

  std::string name() const override { return "SharedWeight"; }

  const at::Tensor parameter;
  const c10::intrusive_ptr<WeightGradient> gradient = c10::make_intrusive<WeightGradient>();
};

const SharedWeight* shared_weight_behind(const at::Tensor& weight) {
  return dynamic_cast<const SharedWeight*>(weight.grad_fn().get());
}

std::string name_of(std::size_t number) { return "weight " + std::to_string(number); }

}  // namespace

at::Tensor shared_weight(const at::Tensor& weight) {
  const bool trained = at::GradMode::is_enabled() && weight.requires_grad() && weight.is_leaf();
  return trained && cuda::sums_gradient_of(weight) ? with_summed_gradient(weight) : weight;
}

at::Tensor with_summed_gradient(const at::Tensor& parameter) {
  at::Tensor weight = parameter.detach();
  torch::autograd::create_gradient_edge(weight, std::make_shared<SharedWeight>(parameter));
  return weight;
}

at::Tensor parameter_of(const at::Tensor& weight) {
  const SharedWeight* const shared = shared_weight_behind(weight);
  return shared != nullptr ? shared->parameter : weight;
}

void save_weight(AutogradContext* context, std::size_t number, const at::Tensor& weight) {
  if (const SharedWeight* const shared = shared_weight_behind(weight))
    context->saved_data[name_of(number)] = c10::IValue::make_capsule(shared->gradient);
}

at::Tensor weight_gradient(AutogradContext* context, std::size_t number,
                           const std::function<at::Tensor(const at::Tensor& onto)>& make) {
  // A sum that SharedWeight is not asked for would stay until the next backward pass.
  if (!context->needs_input_grad(number)) return {};
  const auto shared = context->saved_data.find(name_of(number));
  if (shared == context->saved_data.end()) return make({});
  const auto gradient =
      c10::static_intrusive_pointer_cast<WeightGradient>(shared->second.toCapsule());
  gradient->sum = make(gradient->sum);
  return {};
}

}  // namespace mgdm::ops
