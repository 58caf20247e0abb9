#include "training/clip.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include "compat/many_tensors.h"
#include "ops/updates.h"

namespace mgdm::training {

at::Tensor clip_gradients(const std::vector<nn::Parameter>& parameters, double max_norm) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  for (const nn::Parameter& parameter : parameters)
    if (parameter.value.grad().defined()) gradients.push_back(parameter.value.grad());
  if (gradients.empty()) return at::zeros({}, at::kFloat);
  if (const auto norm = ops::clip(gradients, max_norm)) return *norm;
  const at::Tensor norm = at::stack(at::_foreach_norm(gradients, 2)).norm();
  if (max_norm > 0) {
    // As torch.nn.utils does, so that a norm of 0 is harmless.
    const at::Tensor scale = (max_norm / (norm + 1e-6)).clamp_max(1);
    compat::multiply_all(gradients, scale);
  }
  return norm;
}

}  // namespace mgdm::training
