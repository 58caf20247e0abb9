// D3PM with uniform (multinomial) noise: a noised token is drawn anew from all tokens an output can
// hold, [PAD], [EOS] and the ordinary ones: K = V - 3 categories. [SEP], [MASK] and [UNK] never
// stand in an output, so they are neither noise nor predicted.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/where.h>

#include "nn/draws.h"
#include "objectives/kinds.h"
#include "objectives/noise.h"
#include "objectives/uniform_posterior.h"

namespace mgdm::objectives {
namespace {

constexpr std::int64_t kLeftOut = 3;  // [SEP], [MASK], [UNK]

// Categories 0, 1, 2, ... are [PAD], [EOS] and the ordinary tokens.
at::Tensor token_of(const at::Tensor& category) {
  return (category + kLeftOut).masked_fill(category == 0, kPad).masked_fill(category == 1, kEos);
}

// Other tokens, which only frozen positions hold, get any category.
at::Tensor category_of(const at::Tensor& token) {
  return (token - kLeftOut).clamp_min(0).masked_fill(token == kEos, 1);
}

class Uniform : public Objective {
 public:
  using Objective::Objective;

  std::vector<Noised> noise(const Batch& batch, std::uint64_t seed) const override {
    const std::int64_t length = batch.tokens.size(1);
    const auto draw = [&](Purpose purpose, std::int64_t columns) {
      return nn::uniform(seed, purpose, batch.items, batch.step, columns);
    };
    const at::Tensor output = batch.frozen.logical_not();
    const at::Tensor t = below(draw(Purpose::kTimestep, 1), settings_.steps).select(1, 0);
    const at::Tensor replaced =
        at::logical_and(output, chosen(draw(Purpose::kMask, length), t + 1, settings_.steps));
    const at::Tensor random =
        token_of(below(draw(Purpose::kNoise, length), settings_.vocabulary - kLeftOut));
    return {{at::where(replaced, random, batch.tokens), output, output.to(at::kFloat), t}};
  }

  // KL[q(x_{t-1} | x_t, x_0) || p(x_{t-1} | x_t)], at t = 0 the reconstruction.
  at::Tensor token_loss(const Prediction& logits, const Batch& batch,
                        const Noised& noised) const override {
    const at::ScalarType type = logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    const at::Tensor of_categories =  // (B, N, K)
        at::cat({logits.slice(-1, kPad, kPad + 1), logits.slice(-1, kEos, kEos + 1),
                 logits.slice(-1, kFirstOrdinary)},
                -1);
    return uniform_divergence(category_of(noised.input), category_of(batch.tokens),
                              at::log_softmax(of_categories, -1, type), noised.t, settings_.steps);
  }
};

}  // namespace

std::unique_ptr<Objective> make_uniform(const Settings& settings) {
  return std::make_unique<Uniform>(settings);
}

}  // namespace mgdm::objectives
