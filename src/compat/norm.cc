#include "compat/norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rsqrt.h>

#if __has_include(<ATen/ops/_fused_rms_norm.h>)
#include <ATen/ops/rms_norm.h>
#define MGDM_HAVE_RMS_NORM 1
#endif

namespace mgdm::compat {

at::Tensor rms_norm(const at::Tensor& x, double eps) {
#ifdef MGDM_HAVE_RMS_NORM
  return at::rms_norm(x, {x.size(-1)}, /*weight=*/{}, eps);
#else
  return x * at::rsqrt((x * x).mean(-1, /*keepdim=*/true) + eps);
#endif
}

}  // namespace mgdm::compat
