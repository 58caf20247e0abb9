#include "decoding/orders.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "decoding/attempt.h"

namespace mgdm::decoding {
namespace {

std::span<const float> log_probs_at(const Pass& pass, std::size_t n) {
  const std::size_t vocabulary = pass.log_probs.size() / pass.masked.size();
  return pass.log_probs.subspan(n * vocabulary, vocabulary);
}

// Takes the scores by value: the noise goes on top.
void by_score(std::vector<float> score, const Pass& pass, const DecodingSettings& settings,
              std::span<std::uint8_t> mask) {
  const double share = static_cast<double>(pass.t) / static_cast<double>(settings.steps);
  const auto scale = static_cast<float>(settings.noise * share);
  if (settings.noise > 0)
    for (std::size_t n = 0; n < score.size(); ++n) score[n] += gumbel(pass.draws[n]) * scale;
  below_cutoff(score, pass.eligible, masked_count(pass.diffused, pass.t, settings), mask);
}

void topk(const Pass& pass, const DecodingSettings& settings, std::span<std::uint8_t> mask) {
  by_score({pass.score.begin(), pass.score.end()}, pass, settings, mask);
}

// p1 - p2
float lead(std::span<const float> log_probs) {
  float best = log_probs[0], second = log_probs[1];
  if (best < second) std::swap(best, second);
  for (const float value : log_probs.subspan(2))
    if (value > best)
      second = std::exchange(best, value);
    else if (value > second)
      second = value;
  return std::exp(best) - std::exp(second);
}

void margin(const Pass& pass, const DecodingSettings& settings, std::span<std::uint8_t> mask) {
  std::vector<float> score(pass.score.size());
  for (std::size_t n = 0; n < score.size(); ++n)
    if (pass.eligible[n]) score[n] = lead(log_probs_at(pass, n));
  by_score(std::move(score), pass, settings, mask);
}

void random(const Pass& pass, const DecodingSettings&, std::span<std::uint8_t> mask) {
  const auto shown = static_cast<float>(1.0 / static_cast<double>(pass.t + 1));
  for (std::size_t n = 0; n < mask.size(); ++n) mask[n] = pass.masked[n] && pass.draws[n] >= shown;
}

void threshold(const Pass& pass, const DecodingSettings& settings, std::span<std::uint8_t> mask) {
  const auto sure = static_cast<float>(settings.threshold);
  std::size_t unsure = 0;
  for (std::size_t n = 0; n < mask.size(); ++n)
    unsure += pass.masked[n] && std::exp(pass.score[n]) <= sure;
  all_but_surest(pass.score, pass.masked, unsure, mask);
}

// In nats.
float entropy_of(std::span<const float> log_probs) {
  float sum = 0;
  for (const float value : log_probs)
    if (const float p = std::exp(value); p > 0) sum -= p * value;
  return sum;
}

void entropy(const Pass& pass, const DecodingSettings& settings, std::span<std::uint8_t> mask) {
  std::vector<float> certainty(mask.size()), rising;  // -entropy; the entropies of masked positions
  for (std::size_t n = 0; n < mask.size(); ++n)
    if (pass.masked[n]) {
      rising.push_back(entropy_of(log_probs_at(pass, n)));
      certainty[n] = -rising.back();
    }
  std::sort(rising.begin(), rising.end());
  const auto bound = static_cast<float>(settings.entropy_bound);
  double sum = 0;
  std::size_t within = 0;
  for (const float each : rising) within += static_cast<float>(sum += each) <= bound;
  all_but_surest(certainty, pass.masked, rising.size() - within, mask);
}

}  // namespace

std::span<const OrderKind> order_kinds() {
  static const std::vector<OrderKind> kinds{
      {"topk",
       "reveal the most confident tokens first (paper)",
       /*by_score=*/true,
       /*random=*/false,
       {"decoding.schedule", "decoding.noise"},
       topk},
      {"margin",
       "rank by the lead over the second-best token",
       true,
       false,
       {"decoding.schedule", "decoding.noise"},
       margin},
      {"random", "reveal positions at random (D3PM)", false, true, {}, random},
      {"threshold",
       "reveal all tokens above a confidence",
       false,
       false,
       {"decoding.threshold"},
       threshold},
      {"entropy",
       "reveal as many tokens as stay below a bound of entropy",
       false,
       false,
       {"decoding.entropy_bound"},
       entropy},
  };
  return kinds;
}

const OrderKind& order_kind(std::string_view name) {
  return config::kind_named(order_kinds(), name, "order");
}

std::size_t masked_count(std::size_t diffused, std::int64_t t, const DecodingSettings& settings) {
  const auto steps = static_cast<std::size_t>(settings.steps);
  if (settings.schedule == "linear") return diffused * static_cast<std::size_t>(t) / steps;
  const double done = static_cast<double>(settings.steps - t) / static_cast<double>(settings.steps);
  const double rate = t == 0 ? 0 : std::cos(std::numbers::pi / 2 * done);
  return static_cast<std::size_t>(static_cast<double>(diffused) * rate);
}

void below_cutoff(std::span<const float> score, std::span<const std::uint8_t> eligible,
                  std::size_t count, std::span<std::uint8_t> mask) {
  std::vector<float> scores;
  scores.reserve(score.size());
  for (std::size_t n = 0; n < score.size(); ++n)
    if (eligible[n]) scores.push_back(score[n]);
  if (count >= scores.size()) {
    std::copy(eligible.begin(), eligible.end(), mask.begin());
    return;
  }
  const auto cutoff = scores.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(scores.begin(), cutoff, scores.end());
  for (std::size_t n = 0; n < score.size(); ++n) mask[n] = eligible[n] && score[n] < *cutoff;
}

void all_but_surest(std::span<const float> score, std::span<const std::uint8_t> masked,
                    std::size_t count, std::span<std::uint8_t> mask) {
  std::vector<std::size_t> rising;
  rising.reserve(score.size());
  for (std::size_t n = 0; n < score.size(); ++n)
    if (masked[n]) rising.push_back(n);
  std::stable_sort(rising.begin(), rising.end(),
                   [&](std::size_t a, std::size_t b) { return score[a] < score[b]; });
  std::fill(mask.begin(), mask.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < count && i + 1 < rising.size(); ++i) mask[rising[i]] = 1;
}

}  // namespace mgdm::decoding
