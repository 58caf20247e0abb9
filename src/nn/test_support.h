// Networks with random weights for tests: no tensor is 0 or 1, which would hide errors.
#pragma once

#include <ATen/core/grad_mode.h>

#include <cmath>
#include <memory>

#include "nn/model.h"

namespace mgdm::nn {

// fill(value, random) writes each tensor.
template <class Fill>
std::unique_ptr<Model> with_weights(const ModelSettings& settings, Fill&& fill) {
  std::unique_ptr<Model> model = make_model(settings, 3);
  const at::NoGradGuard no_grad;
  Parameters random(4);
  for (const Parameter& parameter : model->parameters().all()) fill(parameter.value, random);
  return model;
}

inline std::unique_ptr<Model> lively(const ModelSettings& settings) {
  return with_weights(settings, [](const at::Tensor& value, Parameters& random) {
    value.copy_(random.add("", value.sizes(), {0.4}));
  });
}

// With matrices that keep the size of what they are given: depth does not make numbers grow.
inline std::unique_ptr<Model> steady(const ModelSettings& settings) {
  return with_weights(settings, [](const at::Tensor& value, Parameters& random) {
    if (value.dim() == 1)
      value.add_(random.add("", value.sizes(), {0.1}));
    else
      value.copy_(
          random.add("", value.sizes(), {1 / std::sqrt(static_cast<double>(value.size(-1)))}));
  });
}

}  // namespace mgdm::nn
