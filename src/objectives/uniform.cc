// D3PM with uniform (multinomial) noise: a noised token is drawn anew from all tokens that an
// output can hold (categories.h).
#include <ATen/TensorOperators.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/where.h>

#include "objectives/kinds.h"
#include "objectives/terms.h"
#include "objectives/uniform_posterior.h"
#include "ops/draws.h"

namespace mgdm::objectives {
namespace {

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

}  // namespace mgdm::objectives
