#ifdef MGDM_CUDA

#include <ATen/ops/empty.h>

#include "ops/cuda/functions.h"
#include "ops/cuda/tensor_products.h"

namespace mgdm::ops::cuda {
namespace {

bool is_turned(const at::Tensor& matrices) { return !matrices.is_contiguous(); }

// Rows of 16 bytes, as they are or turned.
bool fits(const at::Tensor& matrices) {
  return is_bf16(matrices) && matrices.size(1) % 8 == 0 && matrices.size(2) % 8 == 0 &&
         (matrices.is_contiguous() || matrices.transpose(1, 2).is_contiguous());
}

}  // namespace

bool batched_product_takes(const BatchedProduct& p) {
  return with_our_kernels() && p.a.is_cuda() && fits(p.a) && fits(p.b) &&
         (!p.onto.defined() || (is_bf16(p.onto) && p.onto.is_contiguous())) &&
         (!p.out.defined() || (is_bf16(p.out) && p.out.is_contiguous()));
}

at::Tensor batched_product(const BatchedProduct& p) {
  const c10::cuda::CUDAGuard guard(p.a.device());
  const std::vector<std::int64_t> sizes{p.a.size(0), p.a.size(1), p.b.size(2)};
  at::Tensor out = p.out.defined() ? p.out : at::empty(sizes, p.a.options());
  MGDM_CHECK(out.sizes() == sizes && (!p.onto.defined() || p.onto.sizes() == sizes));
  MGDM_CHECK(p.b.size(0) == p.a.size(0) && p.b.size(1) == p.a.size(2));
  const Product product{.a = raw(p.a),
                        .b = raw(p.b),
                        .out = out.data_ptr(),
                        .rows = p.a.size(1),
                        .columns = p.b.size(2),
                        .depth = p.a.size(2),
                        .batch = p.a.size(0),
                        .a_transposed = is_turned(p.a),
                        .b_transposed = is_turned(p.b),
                        .scale = static_cast<float>(p.scale),
                        .onto = raw(p.onto),
                        .onto_scale = static_cast<float>(p.onto_scale)};
  // Processes that train together must come to the same bits, so none looks for its own quickest
  // way.
  run_product("product", product, bytes_of({p.a, p.b, p.onto, out}), p.a.options(), /*tune=*/false);
  return out;
}

}  // namespace mgdm::ops::cuda

#endif
