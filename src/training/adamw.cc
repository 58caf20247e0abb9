#include "training/adamw.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "compat/many_tensors.h"

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

Adamw::Work Adamw::work() const {
  Work work;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& value = parameters_[i].value;
    if (!value.grad().defined()) continue;
    work.values.push_back(value.detach());  // the same numbers, outside the graph
    work.gradients.push_back(value.grad().detach());
    work.means.push_back(means_[i]);
    work.squares.push_back(squares_[i]);
  }
  return work;
}

void Adamw::step(const at::Tensor& factor) {
  const at::NoGradGuard no_grad;
  const at::Tensor lr = factor * settings_.lr;  // ()
  count_.add_(1);
  Work now = work();
  if (settings_.weight_decay > 0) {
    const at::Tensor keep = at::rsub(lr * settings_.weight_decay, 1);  // 1 - lr * decay
    for (at::Tensor& value : now.values)
      if (value.dim() > 1) value.mul_(keep);
  }
  if (now.values.empty()) return;
  if (!compat::has_fused_adamw(lr.device())) return step_plain(std::move(now), lr);
  compat::FusedAdamw fused{std::move(now.values),
                           std::move(now.gradients),
                           std::move(now.means),
                           std::move(now.squares),
                           count_,
                           lr,
                           settings_.beta1,
                           settings_.beta2,
                           settings_.eps};
  compat::fused_adamw(fused);
}

void Adamw::step_plain(Work work, const at::Tensor& lr) {
  // In double: 1 - 0.999 in float has an error of 5e-5.
  const at::Tensor count = count_.to(at::kDouble);
  const at::Tensor rate = (lr / (1 - at::pow(settings_.beta1, count))).to(at::kFloat);
  const at::Tensor root = (1 - at::pow(settings_.beta2, count)).sqrt().to(at::kFloat);
  for (std::size_t i = 0; i < work.values.size(); ++i) {
    const at::Tensor& gradient = work.gradients[i];
    at::Tensor &mean = work.means[i], &square = work.squares[i];
    mean.lerp_(gradient, 1 - settings_.beta1);
    square.mul_(settings_.beta2).addcmul_(gradient, gradient, 1 - settings_.beta2);
    work.values[i].sub_(mean.div(square.sqrt().div_(root).add_(settings_.eps)).mul_(rate));
  }
}

}  // namespace mgdm::training
