// Absorbing noise: a noised token becomes [MASK], and the network fills the masks in. MGDM, RDM and
// D3PM differ only in their weights w(t) and v (paper eq. 5 and 8).
#include <ATen/TensorOperators.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/where.h>

#include "objectives/objective.h"
#include "objectives/terms.h"
#include "ops/draws.h"

namespace mgdm::objectives {
namespace {

class Absorbing : public Objective {
 public:
  using Objective::Objective;

  Noised noise_at(const Batch& batch, std::uint64_t seed, const at::Tensor& t) const override {
    const std::int64_t length = batch.tokens.size(1);
    const at::Tensor output = batch.frozen.logical_not();
    const at::Tensor u = draw(batch, seed, Purpose::kMask, length);
    return noised(batch, output, at::logical_and(output, chosen(u, t + 1, settings_.steps)), t,
                  shown_draws(batch, seed, 1));
  }

  std::vector<Noised> noise(const Batch& batch, std::uint64_t seed) const override {
    if (!settings_.coupled) return Objective::noise(batch, seed);
    // RDM: x_t2 keeps each mask of x_t1 with probability (t2 + 1) / (t1 + 1), which gives it the
    // right marginal; at the same level that would be the same copy, so masks are drawn anew.
    const std::int64_t steps = settings_.steps, length = batch.tokens.size(1);
    const at::Tensor output = batch.frozen.logical_not();
    const at::Tensor levels = below(draw(batch, seed, Purpose::kTimestep, 2), steps);  // (B, 2)
    const at::Tensor u = draw(batch, seed, Purpose::kMask, 2 * length);                // (B, 2N)
    const at::Tensor shown_u = shown_draws(batch, seed, 2);
    const auto shown_part = [&](std::int64_t copy) {
      return shown_u.defined() ? shown_u.slice(1, copy * 2 * length, (copy + 1) * 2 * length)
                               : shown_u;
    };
    const at::Tensor first = levels.select(1, 0), second = levels.select(1, 1);
    const at::Tensor t1 = at::maximum(first, second), t2 = at::minimum(first, second);
    const at::Tensor u1 = u.slice(1, 0, length), u2 = u.slice(1, length);
    const at::Tensor masked1 = at::logical_and(output, chosen(u1, t1 + 1, steps));
    const at::Tensor kept = at::logical_and(masked1, chosen(u2, t2 + 1, t1 + 1));
    const at::Tensor fresh = at::logical_and(output, chosen(u2, t2 + 1, steps));
    const at::Tensor masked2 = at::where((t1 == t2).unsqueeze(1), fresh, kept);
    return {noised(batch, output, masked1, t1, shown_part(0)),
            noised(batch, output, masked2, t2, shown_part(1))};
  }

 private:
  static at::Tensor draw(const Batch& batch, std::uint64_t seed, Purpose purpose,
                         std::int64_t columns) {
    return ops::uniform(seed, purpose, batch.items, batch.step, columns);
  }

  // (B, copies 2N) for wrong shown tokens; undefined where there are none.
  at::Tensor shown_draws(const Batch& batch, std::uint64_t seed, std::int64_t copies) const {
    if (settings_.shown_noise == 0) return {};
    return draw(batch, seed, Purpose::kNoise, copies * 2 * batch.tokens.size(1));
  }

  // The copy with [MASK] at `masked`. shown_u (B, 2N), where defined: whether a shown token is
  // replaced, and by which one.
  Noised noised(const Batch& batch, const at::Tensor& output, const at::Tensor& masked,
                const at::Tensor& t, const at::Tensor& shown_u) const {
    const std::int64_t length = batch.tokens.size(1);
    at::Tensor input = batch.tokens;
    if (shown_u.defined()) {
      const at::Tensor wrong =
          at::logical_and(output, shown_u.slice(1, 0, length) < settings_.shown_noise);
      const at::Tensor random =
          below(shown_u.slice(1, length), settings_.vocabulary - kFirstOrdinary) + kFirstOrdinary;
      input = at::where(wrong, random, input);
    }
    input = input.masked_fill(masked, kMask);
    const at::Tensor counted = settings_.train_shown ? output : masked;
    const at::Tensor w = sequence_weight(settings_.sequence_weight, t, settings_.steps);
    return {input, counted, counted.to(at::kFloat) * w.unsqueeze(1), t};
  }
};

}  // namespace

std::unique_ptr<Objective> make_absorbing(const Settings& settings) {
  return std::make_unique<Absorbing>(settings);
}

}  // namespace mgdm::objectives
