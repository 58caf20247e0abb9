#include "objectives/vdm_schedule.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>

namespace mgdm::objectives {
namespace {

constexpr double kLearned = 0.9;  // the rest is even, so that no level is ever forgotten
constexpr double kLargestRange = 18;

}  // namespace

NoiseSchedule::NoiseSchedule(const nn::Parameters& parameters)
    : first_(parameters.at("transformer.vdm.gamma.first")),
      log_range_(parameters.at("transformer.vdm.gamma.log_range")),
      density_(parameters.at("transformer.vdm.gamma.density")) {}

at::Tensor NoiseSchedule::range() const { return log_range_.exp().clamp_max(kLargestRange); }

at::Tensor NoiseSchedule::last() const { return first_ + range(); }

NoiseLevel NoiseSchedule::at(const at::Tensor& t) const {
  const std::int64_t bins = density_.size(0);
  const auto count = static_cast<double>(bins);
  const at::Tensor share = kLearned * at::softmax(density_, 0) + (1 - kLearned) / count;  // (K)
  const at::Tensor fixed = share.detach();
  const at::Tensor end = at::cumsum(fixed, 0);
  const at::Tensor bin =
      (t.unsqueeze(1) >= end).sum(1).clamp_max(bins - 1);  // (B): the first that ends after t
  const auto of_bin = [&](const at::Tensor& values) { return values.index_select(0, bin); };
  const at::Tensor width = of_bin(fixed);
  const at::Tensor inside = ((t - of_bin(end - fixed)) / width).clamp(0, 1);
  const at::Tensor place = (bin.to(t.scalar_type()) + inside) / count;  // in the range
  const at::Tensor whole = range();
  return {first_ + whole * place, whole / (count * width), of_bin((count * share).log())};
}

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
