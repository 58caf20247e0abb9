#include "nn/lora.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>

#include "compat/device.h"
#include "ops/residual_norm.h"

namespace mgdm::nn {
namespace {

// Mixed precision rounds x to what a bf16 weight is; without it the weight is widened, for the
// length of the product.
at::Tensor product(const at::Tensor& x, const at::Tensor& weight) {
  const bool widen = weight.scalar_type() != x.scalar_type() && !compat::autocasts(x.device());
  return at::linear(x, widen ? weight.to(x.scalar_type()) : weight);
}

}  // namespace

at::Tensor project(const at::Tensor& x, const Projection& projection, double dropout) {
  const at::Tensor y = product(x, projection.weight);
  if (!projection.down.defined()) return y;
  const at::Tensor inner = at::linear(ops::dropout(x, dropout), projection.down);
  return y + at::linear(inner, projection.up) * projection.scale;
}

}  // namespace mgdm::nn
