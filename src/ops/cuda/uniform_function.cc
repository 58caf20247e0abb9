#ifdef MGDM_CUDA

#include <ATen/ops/empty.h>

#include "ops/cuda/functions.h"
#include "ops/cuda/tensors.h"

namespace mgdm::ops::cuda {

at::Tensor uniform(std::uint64_t seed, Purpose purpose, const at::Tensor& items,
                   const at::Tensor& step, std::int64_t columns) {
  MGDM_CHECK(items.is_cuda() && step.device() == items.device());
  const c10::cuda::CUDAGuard guard(items.device());
  const at::Tensor row_items = items.contiguous();
  at::Tensor out = at::empty({items.size(0), columns}, items.options().dtype(at::kFloat));
  const KernelWork work("draws", bytes_of({row_items, out}));
  launch_uniform(out.data_ptr<float>(), row_items.const_data_ptr<std::int64_t>(),
                 step.const_data_ptr<std::int64_t>(), items.size(0), columns, seed,
                 static_cast<std::uint32_t>(purpose), c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

}  // namespace mgdm::ops::cuda

#endif
