// Absorbing noise: a noised token becomes [MASK], and the network fills the masks in. MGDM, RDM and
// D3PM differ only in their weights w(t) and v (paper eq. 5 and 8).
#include <ATen/TensorOperators.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/where.h>

#include "nn/draws.h"
#include "objectives/kinds.h"
#include "objectives/noise.h"

namespace mgdm::objectives {
namespace {

class Absorbing : public Objective {
 public:
  using Objective::Objective;

  std::vector<Noised> noise(const Batch& batch, std::uint64_t seed) const override {
    const std::int64_t copies = settings_.coupled ? 2 : 1, length = batch.tokens.size(1);
    const std::int64_t steps = settings_.steps;
    const auto draw = [&](Purpose purpose, std::int64_t columns) {
      return nn::uniform(seed, purpose, batch.items, batch.step, columns);
    };
    const at::Tensor output = batch.frozen.logical_not();
    const at::Tensor levels = below(draw(Purpose::kTimestep, copies), steps);  // (B, copies)
    const at::Tensor u = draw(Purpose::kMask, copies * length);                // (B, copies N)
    const at::Tensor shown_u = settings_.shown_noise > 0                       // (B, copies 2N)
                                   ? draw(Purpose::kNoise, copies * 2 * length)
                                   : at::Tensor();
    const auto part = [](const at::Tensor& draws, std::int64_t index, std::int64_t columns) {
      return draws.slice(1, index * columns, (index + 1) * columns);
    };
    const auto shown_part = [&](std::int64_t index) {
      return shown_u.defined() ? part(shown_u, index, 2 * length) : shown_u;
    };

    if (!settings_.coupled) {
      const at::Tensor t = levels.select(1, 0);
      const at::Tensor masked = at::logical_and(output, chosen(u, t + 1, steps));
      return {noised(batch, output, masked, t, shown_part(0))};
    }
    // RDM: x_t2 keeps each mask of x_t1 with probability (t2 + 1) / (t1 + 1), which gives it the
    // right marginal; at the same level that would be the same copy, so masks are drawn anew.
    const at::Tensor first = levels.select(1, 0), second = levels.select(1, 1);
    const at::Tensor t1 = at::maximum(first, second), t2 = at::minimum(first, second);
    const at::Tensor u2 = part(u, 1, length);
    const at::Tensor masked1 = at::logical_and(output, chosen(part(u, 0, length), t1 + 1, steps));
    const at::Tensor kept = at::logical_and(masked1, chosen(u2, t2 + 1, t1 + 1));
    const at::Tensor fresh = at::logical_and(output, chosen(u2, t2 + 1, steps));
    const at::Tensor masked2 = at::where((t1 == t2).unsqueeze(1), fresh, kept);
    return {noised(batch, output, masked1, t1, shown_part(0)),
            noised(batch, output, masked2, t2, shown_part(1))};
  }

 private:
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
