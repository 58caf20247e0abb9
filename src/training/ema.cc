#include "training/ema.h"

#include <ATen/core/grad_mode.h>

#include <utility>

#include "compat/operations.h"

namespace mgdm::training {

Ema::Ema(const std::vector<nn::Parameter>& parameters, double decay)
    : parameters_(parameters), decay_(decay) {
  for (const nn::Parameter& parameter : parameters_)
    averages_.push_back(parameter.value.detach().clone());
}

void Ema::update() {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> values;
  for (const nn::Parameter& parameter : parameters_) values.push_back(parameter.value.detach());
  compat::lerp_all(averages_, values, 1 - decay_);
}

void Ema::swap() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    at::Tensor value = parameters_[i].value;
    const at::Tensor own = value.detach().clone();
    value.copy_(averages_[i]);
    averages_[i].copy_(own);
  }
}

void Ema::restart() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < averages_.size(); ++i) averages_[i].copy_(parameters_[i].value);
}

}  // namespace mgdm::training
