// Scaled dot-product attention: the library's fused one where it has one, else matrix products.
#pragma once

#include <ATen/core/Tensor.h>

namespace mgdm::compat {

// softmax(scale q k^T) v over q (B, H, N, D), k and v (B, H, M, D). `causal` lets position n of the
// last N of M positions see positions up to its own. `dropout` applies to the attention weights.
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal,
                     double dropout, double scale);

}  // namespace mgdm::compat
