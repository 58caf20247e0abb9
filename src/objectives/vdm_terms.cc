#include "objectives/vdm_terms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/sigmoid.h>

namespace mgdm::objectives {

at::Tensor prior_divergence(const at::Tensor& last_gamma, std::int64_t size) {
  // 1/2 sum over the numbers of (sigma^2 + alpha^2 x^2 - 1 - log sigma^2), where |x|^2 = 1 and
  // sigma^2 - 1 = -alpha^2.
  const at::Tensor alpha2 = at::sigmoid(-last_gamma);
  const auto count = static_cast<double>(size);
  return 0.5 * ((1 - count) * alpha2 - count * at::log_sigmoid(last_gamma));
}

at::Tensor diffusion_loss(const at::Tensor& x, const at::Tensor& x_hat, const NoiseLevel& level) {
  const at::Tensor weight = 0.5 * level.slope * (-level.gamma).exp();
  return weight.unsqueeze(1) * (x - x_hat).square().sum(-1);
}

}  // namespace mgdm::objectives
