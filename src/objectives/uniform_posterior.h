// The posterior of uniform (multinomial) noise, paper eq. 9 in the appendix, with
// Q_t = (1 - beta_t) I + beta_t / K over K categories and the schedule of the other objectives,
// alpha_t = 1 - (t + 1) / T:
//
//   q(x_{t-1} | x_t, x_0)  ~  [(1 - beta_t) x_t + beta_t / K] * [alpha_{t-1} x_0 + (1 -
//   alpha_{t-1}) / K]
//
// p(x_{t-1} | x_t) is the same with the network's distribution f in place of the one-hot x_0.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mgdm::objectives {

// log of the posterior over x_{t-1}: (B, N, K), from x_t (B, N) int64, log x_0 (B, N, K) (the log
// of a distribution, or of a one-hot: -inf) and t (B) int64 in 0..T-1. x_{-1} at t = 0 is the data.
at::Tensor log_uniform_posterior(const at::Tensor& x_t, const at::Tensor& log_x_0,
                                 const at::Tensor& t, std::int64_t steps);

// KL[q(x_{t-1} | x_t, x_0) || p(x_{t-1} | x_t)]: (B, N), from x_t and x_0 (B, N) and log f
// (B, N, K). At t = 0 q is certain of x_0 and this is the reconstruction term -log p(x_0 | x_1).
at::Tensor uniform_divergence(const at::Tensor& x_t, const at::Tensor& x_0, const at::Tensor& log_f,
                              const at::Tensor& t, std::int64_t steps);

}  // namespace mgdm::objectives
