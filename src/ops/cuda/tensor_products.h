// Products of bf16 tensors on CUDA. Only for builds with it.
#pragma once

#include <ATen/Context.h>
#include <ATen/ops/empty.h>

#include <vector>

#include "ops/cuda/products.h"
#include "ops/cuda/tensors.h"

namespace mgdm::ops::cuda {

inline at::Tensor rows_of(const at::Tensor& x) { return x.view({-1, x.size(-1)}); }

inline bool may_tune() { return !at::globalContext().deterministicAlgorithms(); }

// Queues a product of tensors that are `bytes` in all.
inline void run_product(const char* name, const Product& product, double bytes,
                        const at::TensorOptions& there) {
  const at::Tensor workspace =
      at::empty({static_cast<std::int64_t>(kProductWorkspace)}, there.dtype(at::kByte));
  const KernelWork work(name, bytes, product_flop(product));
  launch_product(product, workspace.data_ptr(), may_tune(), c10::cuda::getCurrentCUDAStream());
}

// What follows a product, see products.h.
struct AfterProduct {
  at::Tensor bias{};  // bf16
  bool gelu = false;
  at::Tensor sum{};       // to be written
  at::Tensor slope_at{};  // bf16
};

// a b of matrices, or with a transposed a and b; bf16 or float.
inline at::Tensor multiply(const at::Tensor& a, bool a_transposed, const at::Tensor& b,
                           bool b_transposed, const AfterProduct& after = {},
                           at::ScalarType type = at::kBFloat16) {
  MGDM_CHECK(type == at::kBFloat16 || type == at::kFloat);
  Product product{.a = a.const_data_ptr(),
                  .b = b.const_data_ptr(),
                  .out = nullptr,
                  .rows = a.size(a_transposed ? 1 : 0),
                  .columns = b.size(b_transposed ? 0 : 1),
                  .depth = a.size(a_transposed ? 0 : 1),
                  .a_transposed = a_transposed,
                  .b_transposed = b_transposed,
                  .bias = raw(after.bias),
                  .gelu = after.gelu,
                  .sum = after.sum.defined() ? after.sum.data_ptr() : nullptr,
                  .slope_at = raw(after.slope_at),
                  .out_type = type == at::kFloat ? NumberType::kFloat32 : NumberType::kBfloat16};
  at::Tensor out = at::empty({product.rows, product.columns}, a.options().dtype(type));
  product.out = out.data_ptr();
  run_product("product", product, bytes_of({a, b, out, after.sum, after.slope_at}), a.options());
  return out;
}

// x W^T, and what follows.
inline at::Tensor product_of(const at::Tensor& x, const at::Tensor& weight,
                             const AfterProduct& after = {}) {
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes.back() = weight.size(0);
  return multiply(rows_of(x), false, weight, true, after).view(sizes);
}

// Of y = x W^T, for dy (rows, O): dx = dy W, and dW = dy^T x in the type that the parameter has.
inline at::Tensor dx_of(const at::Tensor& dy, const at::Tensor& weight) {
  return multiply(dy, false, weight, false);
}
inline at::Tensor dweight_of(const at::Tensor& dy, const at::Tensor& x, at::ScalarType type) {
  return multiply(dy, true, rows_of(x), false, {}, type);
}

// Cast once a step, as autocast does it. A gradient is the parameter's own: no bf16 in between.
inline at::Tensor in_bf16_of(const at::Tensor& weight) {
  return at::autocast::cached_cast(at::kBFloat16, weight, at::kCUDA).detach();
}

}  // namespace mgdm::ops::cuda
