#include "training/adamw.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

// Debian's LibTorch 1.13 has no fused one; the form that takes the learning rate as a tensor came
// soon after the first.
#if __has_include(<ATen/ops/_fused_adamw.h>)
#include <ATen/ops/_fused_adamw.h>
#define MGDM_HAVE_FUSED_ADAMW 1
#endif

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
#ifdef MGDM_HAVE_FUSED_ADAMW
  if (lr.is_cuda()) return step_fused(std::move(now), lr);
#endif
  step_plain(std::move(now), lr);
}

#ifdef MGDM_HAVE_FUSED_ADAMW
void Adamw::step_fused(Work work, const at::Tensor& lr) {
  // The kernel only reads the counts, so that one serves all.
  const std::vector<at::Tensor> counts(work.values.size(), count_);
  at::_fused_adamw_(work.values, work.gradients, work.means, work.squares,
                    /*max_exp_avg_sqs=*/{}, counts, lr, settings_.beta1, settings_.beta2,
                    /*weight_decay=*/0, settings_.eps, /*amsgrad=*/false, /*maximize=*/false,
                    /*grad_scale=*/{}, /*found_inf=*/{});
}
#endif

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
