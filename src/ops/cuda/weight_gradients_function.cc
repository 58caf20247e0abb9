#ifdef MGDM_CUDA

#include <ATen/ops/zeros.h>

#include "ops/cuda/functions.h"
#include "ops/cuda/hopper/weight_gradients.h"
#include "ops/cuda/tensor_products.h"

namespace mgdm::ops::cuda {
namespace {

// Fewer rows are no work for the whole device, whose parts of the sum cost the same. Measured were
// 26,624 and 41,472, where four uses took 0.7 to 0.86 of the library's time.
constexpr std::int64_t kFewestRows = 8192;

}  // namespace

bool gradient_products_take(const GradientProduct& product) {
  return may_tune() && is_bf16(product.dy) && is_bf16(product.x) && product.dy.is_contiguous() &&
         product.x.is_contiguous() && product.dy.size(0) >= kFewestRows &&
         weight_gradients_take(product.dy.size(1), product.x.size(1));
}

at::Tensor add_gradient_products(const std::vector<GradientProduct>& products,
                                 const at::Tensor& onto) {
  const at::Tensor &dy = products.front().dy, &x = products.front().x;
  const c10::cuda::CUDAGuard guard(dy.device());
  MGDM_CHECK(products.size() <= kMostUses);
  const std::vector<std::int64_t> sizes{dy.size(1), x.size(1)};
  const at::Tensor sum = onto.defined() ? onto : at::zeros(sizes, dy.options().dtype(at::kFloat));
  MGDM_CHECK(sum.is_contiguous() && sum.scalar_type() == at::kFloat && sum.sizes() == sizes);
  WeightGradients all{.rows = dy.size(0),
                      .outputs = dy.size(1),
                      .inputs = x.size(1),
                      .uses = static_cast<int>(products.size()),
                      .dy = {},
                      .x = {},
                      .sum = sum.data_ptr<float>()};
  double bytes = 2 * bytes_of({sum});
  for (std::size_t i = 0; i < products.size(); ++i) {
    MGDM_CHECK(products[i].dy.sizes() == dy.sizes() && products[i].x.sizes() == x.sizes());
    all.dy[i] = raw(products[i].dy);
    all.x[i] = raw(products[i].x);
    bytes += bytes_of({products[i].dy, products[i].x});
  }
  const double flop = 2 * static_cast<double>(products.size()) *
                      static_cast<double>(all.rows * all.outputs) * static_cast<double>(all.inputs);
  const KernelWork work("gradients of shared weights", bytes, flop);
  launch_weight_gradients(all, c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return sum;
}

}  // namespace mgdm::ops::cuda

#endif
