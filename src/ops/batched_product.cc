#include "ops/batched_product.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>

#include "ops/cuda/functions.h"

namespace mgdm::ops {

at::Tensor batched_product(const BatchedProduct& p) {
  if (cuda::batched_product_takes(p)) return cuda::batched_product(p);
  at::Tensor made =
      p.onto.defined() ? at::baddbmm(p.onto, p.a, p.b, p.onto_scale, p.scale) : at::bmm(p.a, p.b);
  if (!p.onto.defined() && p.scale != 1) made *= p.scale;
  return p.out.defined() ? at::Tensor(p.out).copy_(made) : made;
}

}  // namespace mgdm::ops
