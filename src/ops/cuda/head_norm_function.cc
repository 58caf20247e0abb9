#ifdef MGDM_CUDA

#include <ATen/ops/empty_like.h>

#include "ops/cuda/functions.h"
#include "ops/cuda/tensors.h"

namespace mgdm::ops::cuda {
namespace {

struct HeadNormFunction : Function<HeadNormFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& qkv, double eps) {
    const c10::cuda::CUDAGuard guard(qkv.device());
    MGDM_CHECK(qkv.is_contiguous());
    at::Tensor out = at::empty_like(qkv);
    const KernelWork work("head norm, forward", bytes_of({qkv, out}));
    launch_head_norm(qkv.const_data_ptr(), out.data_ptr(), qkv.size(0) * qkv.size(1), qkv.size(3),
                     qkv.size(4), static_cast<float>(eps), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    context->save_for_backward({qkv});
    context->saved_data["eps"] = eps;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor qkv = context->get_saved_variables()[0];
    const c10::cuda::CUDAGuard guard(qkv.device());
    const at::Tensor dout = gradients[0].contiguous();
    at::Tensor dqkv = at::empty_like(qkv);
    const KernelWork work("head norm, backward", bytes_of({dout, qkv, dqkv}));
    launch_head_norm_backward(dout.const_data_ptr(), qkv.const_data_ptr(), dqkv.data_ptr(),
                              qkv.size(0) * qkv.size(1), qkv.size(3), qkv.size(4),
                              static_cast<float>(context->saved_data["eps"].toDouble()),
                              c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {dqkv, {}};
  }
};

}  // namespace

bool head_norm_takes(const at::Tensor& qkv) {
  return is_bf16_rows(qkv) && head_norm_takes(qkv.size(-1));
}

at::Tensor head_norm(const at::Tensor& qkv, double eps) {
  return HeadNormFunction::apply(qkv, eps);
}

}  // namespace mgdm::ops::cuda

#endif
