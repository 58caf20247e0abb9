// The three terms of VDM's loss (Kingma et al., 2021, in continuous time), for tokens as unit
// vectors:
//
//   -log p(x) <= KL[q(z_1 | x) || N(0, I)]                        prior
//                + E[-log p(x | z_0)]                             reconstruction
//                + E[1/2 gamma'(t) exp(-gamma(t)) |x - x_hat|^2]  diffusion, t uniform
//
// The reconstruction is the cross entropy of the network's logits at t = 0.
#pragma once

#include <ATen/core/Tensor.h>

#include "objectives/vdm_schedule.h"

namespace mgdm::objectives {

// (1), the same for every unit vector of `size` numbers, from gamma(1) (1).
at::Tensor prior_divergence(const at::Tensor& last_gamma, std::int64_t size);

// (B, N) for x and x_hat (B, N, D), before the mean over t.
at::Tensor diffusion_loss(const at::Tensor& x, const at::Tensor& x_hat, const NoiseLevel& level);

}  // namespace mgdm::objectives
