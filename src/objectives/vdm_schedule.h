// VDM's noise schedule: the noise level gamma(t) that time t in [0, 1] has, rising, learned.
//
// The ends are parameters: gamma(0) = first, gamma(1) = first + range, range = min(exp(log_range),
// 18). (With so little signal nothing is left to gain, but Adam takes large steps for small
// gradients, and would go on until the signal is 0.) The loss in continuous time depends on these
// alone; what lies between decides which levels are drawn how often, and so how
// much the loss of a batch scatters. That is learned as the density p of levels, constant in each
// of K bins of the range, of which t is the distribution function:
//
//   d gamma / d t = range / p,    p = K (0.9 softmax(density) + 0.1 / K)
//
// The scatter is least where all t have the same loss; a density follows the loss of the levels it
// draws by the gradient of -loss log p (Vdm::token_loss).
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

}  // namespace mgdm::objectives
