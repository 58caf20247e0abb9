// The draws and weights that the diffusion objectives share. Noise level t = 0..T-1 here is t + 1
// in the paper's appendix, which counts 1..T: 1 - alpha_t = (t + 1) / T.
//
// u are uniform numbers from ops/draws.h. Comparisons are written with products, which round alike
// on every device; u T < T for all u < 1 in float32 too.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace mgdm::objectives {

// Uniform over 0..n-1 from u in [0, 1): int64.
at::Tensor below(const at::Tensor& u, std::int64_t n);

// True with probability numerator / denominator, by u (B, N) and integers (B) or one number.
at::Tensor chosen(const at::Tensor& u, const at::Tensor& numerator, const at::Tensor& denominator);
at::Tensor chosen(const at::Tensor& u, const at::Tensor& numerator, std::int64_t denominator);

// w(t): "none" 1, "original" 1 / (t + 1) (the lambda_t of the ELBO), "linear" T - t. (B) float.
at::Tensor sequence_weight(const std::string& name, const at::Tensor& t, std::int64_t steps);

}  // namespace mgdm::objectives
