// Products of bf16 tensors on CUDA. Only for builds with it.
#pragma once

#include <ATen/Context.h>
#include <ATen/ops/empty.h>

#include <vector>

#include "ops/cuda/products.h"
#include "ops/cuda/tensors.h"
#include "ops/shared_weight.h"

namespace mgdm::ops::cuda {

inline at::Tensor rows_of(const at::Tensor& x) { return x.view({-1, x.size(-1)}); }

// Whether two runs may sum in different orders, and so the quickest of several ways may be taken.
inline bool may_tune() { return !at::globalContext().deterministicAlgorithms(); }

// Queues a product of tensors that are `bytes` in all.
inline void run_product(const char* name, const Product& product, double bytes,
                        const at::TensorOptions& there) {
  const at::Tensor workspace = at::empty({kProductWorkspace}, there.dtype(at::kByte));
  const KernelWork work(name, bytes, product_flop(product));
  launch_product(product, workspace.data_ptr(), c10::cuda::getCurrentCUDAStream());
}

// What follows a product, see products.h.
struct AfterProduct {
  at::Tensor bias{};  // bf16
  bool gelu = false;
  at::Tensor sum{};       // to be written
  at::Tensor slope_at{};  // bf16
  at::Tensor onto{};      // what it is added to, of its type
  at::Tensor out{};       // where it all goes; undefined: a new tensor
};

// What a sum in place is: onto a tensor if there is one, and into it.
inline AfterProduct added_to(const at::Tensor& sum) { return {.onto = sum, .out = sum}; }

// Where a product goes: into a new tensor or a given one.
inline at::Tensor out_of(Product& product, at::ScalarType type, const AfterProduct& after,
                         const at::TensorOptions& there) {
  MGDM_CHECK(type == at::kBFloat16 || type == at::kFloat);
  const std::vector<std::int64_t> sizes{product.rows, product.columns};
  for (const at::Tensor& given : {after.onto, after.out})
    MGDM_CHECK(!given.defined() ||
               (given.scalar_type() == type && given.is_contiguous() && given.sizes() == sizes));
  at::Tensor out = after.out.defined() ? after.out : at::empty(sizes, there.dtype(type));
  product.onto = raw(after.onto);
  product.out = out.data_ptr();
  product.out_is_float = type == at::kFloat;
  return out;
}

// a b of matrices, or with a transposed a and b; bf16 or float.
inline at::Tensor multiply(const at::Tensor& a, bool a_transposed, const at::Tensor& b,
                           bool b_transposed, const AfterProduct& after = {},
                           at::ScalarType type = at::kBFloat16) {
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
                  .slope_at = raw(after.slope_at)};
  at::Tensor out = out_of(product, type, after, a.options());
  run_product("product", product, bytes_of({a, b, after.sum, after.slope_at, after.onto, out}),
              a.options());
  return out;
}

// x W^T, and what follows.
inline at::Tensor product_of(const at::Tensor& x, const at::Tensor& weight,
                             const AfterProduct& after = {}) {
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes.back() = weight.size(0);
  return multiply(rows_of(x), false, weight, true, after).view(sizes);
}

// The gradients of y = x W^T for dy (rows, O): dx = dy W, and dW = dy^T x in the type of the
// parameter, perhaps added to another gradient of it.
inline at::Tensor dx_of(const at::Tensor& dy, const at::Tensor& weight) {
  return multiply(dy, false, weight, false);
}
inline at::Tensor dweight_of(const at::Tensor& dy, const at::Tensor& x, at::ScalarType type,
                             const at::Tensor& onto) {
  return multiply(dy, true, rows_of(x), false, added_to(onto), type);
}

// dW as the gradient of input `number` of a Function, which save_weight() was told of.
inline at::Tensor weight_gradient_of(AutogradContext* context, std::size_t number,
                                     const at::Tensor& dy, const at::Tensor& x,
                                     at::ScalarType type) {
  return weight_gradient(context, number,
                         [&](const at::Tensor& onto) { return dweight_of(dy, x, type, onto); });
}

// Cast once a step, as autocast does it. A gradient is the parameter's own: no bf16 in between.
inline at::Tensor in_bf16_of(const at::Tensor& weight) {
  return at::autocast::cached_cast(at::kBFloat16, parameter_of(weight), at::kCUDA).detach();
}

}  // namespace mgdm::ops::cuda
