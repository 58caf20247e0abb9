#include "training/adamw.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace mgdm::training {

Adamw::Adamw(const OptimizerSettings& settings, std::vector<nn::Parameter> parameters)
    : Optimizer(std::move(parameters)), settings_(settings) {
  for (const nn::Parameter& parameter : parameters_) {
    means_.push_back(at::zeros_like(parameter.value.detach()));
    squares_.push_back(at::zeros_like(parameter.value.detach()));
  }
  count_ = at::zeros({}, parameters_.front().value.options().dtype(at::kFloat));
}

std::vector<nn::NamedTensor> Adamw::state() const {
  std::vector<nn::NamedTensor> state{{"adamw.count", count_}};
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    state.push_back({"adamw.mean." + parameters_[i].name, means_[i]});
    state.push_back({"adamw.square." + parameters_[i].name, squares_[i]});
  }
  return state;
}

namespace {

void step_plain(compat::AdamwStep& step) {
  if (step.weight_decay > 0) {
    const at::Tensor keep = at::rsub(step.lr * step.weight_decay, 1);  // 1 - lr * decay
    for (at::Tensor& value : step.values) value.mul_(keep);
  }
  // In double: 1 - 0.999 in float has an error of 5e-5.
  const at::Tensor count = step.count.to(at::kDouble);
  const at::Tensor rate = (step.lr / (1 - at::pow(step.beta1, count))).to(at::kFloat);
  const at::Tensor root = (1 - at::pow(step.beta2, count)).sqrt().to(at::kFloat);
  for (std::size_t i = 0; i < step.values.size(); ++i) {
    const at::Tensor& gradient = step.gradients[i];
    at::Tensor &mean = step.means[i], &square = step.squares[i];
    mean.lerp_(gradient, 1 - step.beta1);
    square.mul_(step.beta2).addcmul_(gradient, gradient, 1 - step.beta2);
    step.values[i].sub_(mean.div(square.sqrt().div_(root).add_(step.eps)).mul_(rate));
  }
}

}  // namespace

void Adamw::step(const at::Tensor& factor) {
  const at::NoGradGuard no_grad;
  count_.add_(1);
  compat::AdamwStep others{.count = count_,
                           .lr = factor * settings_.lr,
                           .beta1 = settings_.beta1,
                           .beta2 = settings_.beta2,
                           .eps = settings_.eps};
  compat::AdamwStep matrices = others;
  matrices.weight_decay = settings_.weight_decay;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& value = parameters_[i].value;
    if (!value.grad().defined()) continue;
    compat::AdamwStep& part = value.dim() > 1 ? matrices : others;
    part.values.push_back(value.detach());  // the same numbers, outside the graph
    part.gradients.push_back(value.grad().detach());
    part.means.push_back(means_[i]);
    part.squares.push_back(squares_[i]);
  }
  for (compat::AdamwStep* const part : {&matrices, &others})
    if (!compat::fused_adamw(*part)) step_plain(*part);
}

}  // namespace mgdm::training
