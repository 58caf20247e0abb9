#include "objectives/uniform_posterior.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/xlogy.h>

namespace mgdm::objectives {
namespace {

// (B, N) -> (B, N, K). The library's one_hot would wait for the device to check the indices.
at::Tensor one_hot(const at::Tensor& index, const at::Tensor& like) {
  return (index.unsqueeze(-1) == at::arange(like.size(-1), index.options())).to(like.scalar_type());
}

}  // namespace

at::Tensor log_uniform_posterior(const at::Tensor& x_t, const at::Tensor& log_x_0,
                                 const at::Tensor& t, std::int64_t steps) {
  const auto categories = static_cast<double>(log_x_0.size(-1));  // K
  const auto total = static_cast<double>(steps);                  // T
  const at::Tensor level = t.to(log_x_0.scalar_type()).view({-1, 1, 1});
  const at::Tensor noise_before = level / total;  // 1 - alpha_{t-1}
  // (rsub(x, c) is c - x: the operator would copy c from the CPU, which no CUDA graph can do.)
  // beta_t = 1 - alpha_t / alpha_{t-1} = 1 / (T - t)
  const at::Tensor beta = at::reciprocal(at::rsub(level, total));
  const at::Tensor log_step =
      at::log(at::rsub(beta, 1) * one_hot(x_t, log_x_0) + beta / categories);
  const at::Tensor log_before = at::logaddexp(at::log(at::rsub(noise_before, 1)) + log_x_0,
                                              at::log(noise_before / categories));
  return at::log_softmax(log_step + log_before, -1);
}

at::Tensor uniform_divergence(const at::Tensor& x_t, const at::Tensor& x_0, const at::Tensor& log_f,
                              const at::Tensor& t, std::int64_t steps) {
  const at::Tensor log_x_0 = at::log(one_hot(x_0, log_f));
  const at::Tensor q = at::exp(log_uniform_posterior(x_t, log_x_0, t, steps));
  const at::Tensor log_p = log_uniform_posterior(x_t, log_f, t, steps);
  return (at::xlogy(q, q) - q * log_p).sum(-1);
}

}  // namespace mgdm::objectives
