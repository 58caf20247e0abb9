#include "nn/lora.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>

#include "ops/residual_norm.h"

namespace mgdm::nn {
namespace {

// On CUDA mixed precision rounds x to what a bf16 weight is; elsewhere the weight is widened, for
// the length of the product.
at::Tensor product(const at::Tensor& x, const at::Tensor& weight) {
  const bool widen = x.is_cpu() && weight.scalar_type() != x.scalar_type();
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
