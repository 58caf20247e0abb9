#include "training/ema.h"

#include <ATen/core/grad_mode.h>
#if __has_include(<ATen/ops/_foreach_lerp.h>)
#include <ATen/ops/_foreach_lerp.h>
#define MGDM_HAVE_FOREACH_LERP 1
#endif

#include <utility>

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
#ifdef MGDM_HAVE_FOREACH_LERP
  at::_foreach_lerp_(averages_, values, 1 - decay_);
#else
  for (std::size_t i = 0; i < values.size(); ++i) averages_[i].lerp_(values[i], 1 - decay_);
#endif
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
