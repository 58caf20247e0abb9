#include "compat/many_tensors.h"

#include <ATen/ops/_foreach_mul.h>
#include <torch/version.h>

#if __has_include(<ATen/ops/_foreach_lerp.h>)
#include <ATen/ops/_foreach_lerp.h>
#define MGDM_HAVE_FOREACH_LERP 1
#endif

namespace mgdm::compat {

void multiply_all(std::vector<at::Tensor>& tensors, const at::Tensor& factor) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
  at::_foreach_mul_(tensors, factor);
#else
  for (at::Tensor& tensor : tensors) tensor.mul_(factor);
#endif
}

void lerp_all(std::vector<at::Tensor>& tensors, const std::vector<at::Tensor>& targets,
              double share) {
#ifdef MGDM_HAVE_FOREACH_LERP
  at::_foreach_lerp_(tensors, targets, share);
#else
  for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].lerp_(targets[i], share);
#endif
}

}  // namespace mgdm::compat
