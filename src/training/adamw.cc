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

void Adamw::step(const at::Tensor& factor) {
  const at::NoGradGuard no_grad;
  ops::AdamwUpdate update{.count = count_,
                          .factor = factor,
                          .lr = settings_.lr,
                          .beta1 = settings_.beta1,
                          .beta2 = settings_.beta2,
                          .eps = settings_.eps,
                          .weight_decay = settings_.weight_decay};
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& value = parameters_[i].value;
    if (!value.grad().defined()) continue;
    update.values.push_back(value.detach());  // the same numbers, outside the graph
    update.gradients.push_back(value.grad().detach());
    update.means.push_back(means_[i]);
    update.squares.push_back(squares_[i]);
  }
  if (!ops::adamw(update)) step_plain(update);
}

void Adamw::step_plain(ops::AdamwUpdate& update) {
  const at::Tensor lr = update.factor * settings_.lr;  // ()
  count_.add_(1);
  if (settings_.weight_decay > 0) {
    const at::Tensor keep = at::rsub(lr * settings_.weight_decay, 1);  // 1 - lr * decay
    for (at::Tensor& value : update.values)
      if (value.dim() > 1) value.mul_(keep);
  }
  // In double: 1 - 0.999 in float has an error of 5e-5.
  const at::Tensor count = count_.to(at::kDouble);
  const at::Tensor rate = (lr / (1 - at::pow(settings_.beta1, count))).to(at::kFloat);
  const at::Tensor root = (1 - at::pow(settings_.beta2, count)).sqrt().to(at::kFloat);
  for (std::size_t i = 0; i < update.values.size(); ++i) {
    const at::Tensor& gradient = update.gradients[i];
    at::Tensor &mean = update.means[i], &square = update.squares[i];
    mean.lerp_(gradient, 1 - settings_.beta1);
    square.mul_(settings_.beta2).addcmul_(gradient, gradient, 1 - settings_.beta2);
    update.values[i].sub_(mean.div(square.sqrt().div_(root).add_(settings_.eps)).mul_(rate));
  }
}

}  // namespace mgdm::training
