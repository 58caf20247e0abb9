// Networks with random weights, for tests: none of their tensors hides behind a start at 0 or 1.
#pragma once

#include <ATen/core/grad_mode.h>

#include <cmath>
#include <memory>

#include "nn/model.h"

namespace mgdm::nn {

inline std::unique_ptr<Model> lively(const ModelSettings& settings) {
  std::unique_ptr<Model> model = make_model(settings, 3);
  const at::NoGradGuard no_grad;
  Parameters random(4);
  for (const Parameter& parameter : model->parameters().all()) {
    at::Tensor value = parameter.value;
    value.copy_(random.add("", value.sizes(), {0.4}));
  }
  return model;
}

// With matrices that keep the size of what they are given: depth does not make numbers grow.
inline std::unique_ptr<Model> steady(const ModelSettings& settings) {
  std::unique_ptr<Model> model = make_model(settings, 3);
  const at::NoGradGuard no_grad;
  Parameters random(4);
  for (const Parameter& parameter : model->parameters().all()) {
    at::Tensor value = parameter.value;
    if (value.dim() == 1)
      value.add_(random.add("", value.sizes(), {0.1}));
    else
      value.copy_(
          random.add("", value.sizes(), {1 / std::sqrt(static_cast<double>(value.size(-1)))}));
  }
  return model;
}

}  // namespace mgdm::nn
