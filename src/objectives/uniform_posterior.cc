#include "objectives/uniform_posterior.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/where.h>
#include <ATen/ops/xlogy.h>

#include "objectives/objective.h"
#include "objectives/terms.h"
#include "ops/draws.h"

namespace mgdm::objectives {

namespace {

// D3PM with uniform (multinomial) noise: a noised token is drawn anew from all tokens that an
// output can hold (terms.h).

class Uniform : public Objective {
 public:
  using Objective::Objective;

  Noised noise_at(const Batch& batch, std::uint64_t seed, const at::Tensor& t) const override {
    const std::int64_t length = batch.tokens.size(1);
    const auto draw = [&](Purpose purpose, std::int64_t columns) {
      return ops::uniform(seed, purpose, batch.items, batch.step, columns);
    };
    const at::Tensor output = batch.frozen.logical_not();
    const at::Tensor replaced =
        at::logical_and(output, chosen(draw(Purpose::kMask, length), t + 1, settings_.steps));
    const at::Tensor random =
        token_of_category(below(draw(Purpose::kNoise, length), settings_.vocabulary - kNoCategory));
    return {at::where(replaced, random, batch.tokens), output, output.to(at::kFloat), t};
  }

  bool is_cross_entropy() const override { return false; }

  // KL[q(x_{t-1} | x_t, x_0) || p(x_{t-1} | x_t)], at t = 0 the reconstruction.
  at::Tensor token_loss(const nn::Prediction& prediction, const Batch& batch,
                        const Noised& noised) const override {
    return uniform_divergence(category_of_token(noised.input), category_of_token(batch.tokens),
                              category_log_probs(prediction.logits()), noised.t, settings_.steps);
  }
};

}  // namespace

std::unique_ptr<Objective> make_uniform(const Settings& settings) {
  return std::make_unique<Uniform>(settings);
}

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
