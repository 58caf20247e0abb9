#include "engine/orders.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/special_entr.h>
#include <ATen/ops/topk.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace mgdm::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The `count` (B) lowest-scoring positions of those eligible: (B, N) bool. Of equal scores the
// earlier position counts as lower.
at::Tensor lowest(const at::Tensor& score, const at::Tensor& eligible, const at::Tensor& count) {
  const at::Tensor order = std::get<1>(at::sort(score.masked_fill(~eligible, kInfinity),
                                                /*stable=*/true, /*dim=*/1, /*descending=*/false));
  const at::Tensor places = at::arange(score.size(1), order.options()).expand_as(order);
  const at::Tensor rank = at::empty_like(order).scatter_(1, order, places);
  return (rank < count.unsqueeze(1)) & eligible;
}

// The positions whose score is below the `count`-th (B) smallest, from 0, of those eligible: (B, N)
// bool. All eligible ones when they are not that many.
at::Tensor below_cutoff(const at::Tensor& score, const at::Tensor& eligible,
                        const at::Tensor& count) {
  const at::Tensor scores = score.masked_fill(~eligible, kInfinity);
  const at::Tensor rising = std::get<0>(at::sort(scores, /*dim=*/1, /*descending=*/false));
  return scores < rising.gather(1, count.unsqueeze(1));
}

// How many of L (B) positions are masked after this pass.
at::Tensor masked_count(const at::Tensor& length, std::int64_t t,
                        const spec::DecodingSettings& settings) {
  const std::int64_t steps = settings.steps;
  if (settings.schedule == "linear") return at::div(length * t, steps, "floor");
  const double done = static_cast<double>(steps - t) / static_cast<double>(steps);
  const double rate = t == 0 ? 0 : std::cos(std::numbers::pi / 2 * done);
  return (length.to(at::kDouble) * rate).floor().to(at::kLong);
}

at::Tensor by_score(const at::Tensor& score, const Pass& pass,
                    const spec::DecodingSettings& settings) {
  const double rate = static_cast<double>(pass.t) / static_cast<double>(settings.steps);
  const at::Tensor noisy =
      settings.noise > 0 ? score + gumbel(pass.draws) * (settings.noise * rate) : score;
  return below_cutoff(noisy, pass.eligible, masked_count(pass.diffused.sum(1), pass.t, settings));
}

at::Tensor topk(const Pass& pass, const spec::DecodingSettings& settings) {
  return by_score(pass.score, pass, settings);
}

at::Tensor margin(const Pass& pass, const spec::DecodingSettings& settings) {
  const at::Tensor best = std::get<0>(at::topk(pass.log_probs, 2, -1)).exp();  // (B, N, 2)
  return by_score(best.select(-1, 0) - best.select(-1, 1), pass, settings);
}

at::Tensor random(const Pass& pass, const spec::DecodingSettings&) {
  return pass.masked & (pass.draws >= 1.0 / static_cast<double>(pass.t + 1));
}

// Leaves at most all but one of the masked positions masked.
at::Tensor at_least_one_shown(const at::Tensor& score, const Pass& pass, const at::Tensor& count) {
  return lowest(score, pass.masked, at::minimum(count, pass.masked.sum(1) - 1));
}

at::Tensor threshold(const Pass& pass, const spec::DecodingSettings& settings) {
  const at::Tensor unsure = pass.masked & (pass.score.exp() <= settings.threshold);
  return at_least_one_shown(pass.score, pass, unsure.sum(1));
}

at::Tensor entropy(const Pass& pass, const spec::DecodingSettings& settings) {
  const at::Tensor entropies = at::special_entr(pass.log_probs.exp()).sum(-1);
  const at::Tensor sorted = std::get<0>(entropies.masked_fill(~pass.masked, kInfinity).sort(1));
  const at::Tensor within = (sorted.cumsum(1) <= settings.entropy_bound).sum(1);
  return at_least_one_shown(-entropies, pass, pass.masked.sum(1) - within);
}

constexpr std::array<std::pair<std::string_view, Order>, 5> kOrders{{
    {"topk", topk},
    {"margin", margin},
    {"random", random},
    {"threshold", threshold},
    {"entropy", entropy},
}};

}  // namespace

Order find_order(std::string_view name) {
  for (const auto& [known, order] : kOrders)
    if (known == name) return order;
  spec::order_kind(name);  // refuses a name that is in no table
  check_failed("an order for every kind", __FILE__, __LINE__);
}

at::Tensor gumbel(const at::Tensor& uniform) {
  return -((-(uniform.clamp_min(0x1p-25).log())).log());  // half the smallest draw stands for 0
}

}  // namespace mgdm::engine
