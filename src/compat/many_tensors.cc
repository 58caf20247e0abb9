#include "compat/many_tensors.h"

#include <ATen/ops/_foreach_mul.h>
#include <torch/version.h>

#include "base/error.h"

#if __has_include(<ATen/ops/_foreach_lerp.h>)
#include <ATen/ops/_foreach_lerp.h>
#define MGDM_HAVE_FOREACH_LERP 1
#endif
// The form that takes the learning rate as a tensor came soon after the first.
#if __has_include(<ATen/ops/_fused_adamw.h>)
#include <ATen/ops/_fused_adamw.h>
#define MGDM_HAVE_FUSED_ADAMW 1
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

#ifdef MGDM_HAVE_FUSED_ADAMW

bool has_fused_adamw(c10::Device device) { return device.is_cuda(); }

void fused_adamw(FusedAdamw& step) {
  // The kernel only reads the counts, so that one serves all.
  const std::vector<at::Tensor> counts(step.values.size(), step.count);
  at::_fused_adamw_(step.values, step.gradients, step.means, step.squares,
                    /*max_exp_avg_sqs=*/{}, counts, step.lr, step.beta1, step.beta2,
                    /*weight_decay=*/0, step.eps, /*amsgrad=*/false, /*maximize=*/false,
                    /*grad_scale=*/{}, /*found_inf=*/{});
}

#else

bool has_fused_adamw(c10::Device) { return false; }
void fused_adamw(FusedAdamw&) { MGDM_CHECK(!"LibTorch has no fused AdamW"); }

#endif

}  // namespace mgdm::compat
