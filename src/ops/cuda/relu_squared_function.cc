#ifdef MGDM_CUDA

#include <ATen/ops/empty_like.h>

#include "ops/cuda/functions.h"
#include "ops/cuda/tensors.h"

namespace mgdm::ops::cuda {
namespace {

struct ReluSquaredFunction : Function<ReluSquaredFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty_like(x);
    launch_relu_squared(x.const_data_ptr(), out.data_ptr(), x.numel(),
                        c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    context->save_for_backward({x});
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor x = context->get_saved_variables()[0];
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor dy = gradients[0].contiguous();
    at::Tensor dx = at::empty_like(x);
    launch_relu_squared_backward(dy.const_data_ptr(), x.const_data_ptr(), dx.data_ptr(), x.numel(),
                                 c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {dx};
  }
};

}  // namespace

bool relu_squared_takes(const at::Tensor& x) { return is_bf16_rows(x) && x.numel() % 4 == 0; }

at::Tensor relu_squared(const at::Tensor& x) { return ReluSquaredFunction::apply(x); }

}  // namespace mgdm::ops::cuda

#endif
