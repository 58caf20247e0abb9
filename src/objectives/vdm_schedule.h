// VDM's learned noise schedule: the increasing noise level gamma(t) for time t in [0, 1].
//
// The ends are parameters: gamma(0) = first, gamma(1) = first + range, range = min(exp(log_range),
// 18). (Beyond 18 there is nothing to gain, but Adam takes large steps for small gradients and
// would continue until the signal is 0.) The loss in continuous time depends on these two alone.
// The levels between decide only the variance of a batch's loss, by how often each is drawn. They
// are learned as the density p of levels, constant in each of K bins of the range, with t as
// distribution function:
//
//   d gamma / d t = range / p,    p = K (0.9 softmax(density) + 0.1 / K)
//
// The variance is smallest when all t have the same loss. The gradient of -loss log p makes the
// density follow the loss of its levels (Vdm::token_loss).
#pragma once

#include <ATen/core/Tensor.h>

#include "nn/parameters.h"

namespace mgdm::objectives {

// Each (B).
struct NoiseLevel {
  at::Tensor gamma;        // with gradients of the ends
  at::Tensor slope;        // d gamma / d t: of the range
  at::Tensor log_density;  // log p: of the density
};

class NoiseSchedule {
 public:
  // Shares the tensors transformer.vdm.gamma.* with the model.
  explicit NoiseSchedule(const nn::Parameters& parameters);

  NoiseLevel at(const at::Tensor& t) const;  // (B) in [0, 1]
  at::Tensor last() const;                   // gamma(1): (1)

 private:
  at::Tensor range() const;  // (1)

  at::Tensor first_, log_range_;  // (1)
  at::Tensor density_;            // (K)
};

// The three terms of VDM's loss (Kingma et al., 2021, in continuous time), for tokens as unit
// vectors:
//
//   -log p(x) <= KL[q(z_1 | x) || N(0, I)]                        prior
//                + E[-log p(x | z_0)]                             reconstruction
//                + E[1/2 gamma'(t) exp(-gamma(t)) |x - x_hat|^2]  diffusion, t uniform
//
// The reconstruction is the cross entropy of the network's logits at t = 0.

// (1), the same for every unit vector of `size` numbers, from gamma(1) (1).
at::Tensor prior_divergence(const at::Tensor& last_gamma, std::int64_t size);

// (B, N) for x and x_hat (B, N, D), before the mean over t.
at::Tensor diffusion_loss(const at::Tensor& x, const at::Tensor& x_hat, const NoiseLevel& level);

}  // namespace mgdm::objectives
