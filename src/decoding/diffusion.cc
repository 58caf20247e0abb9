#include "decoding/diffusion.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "decoding/network.h"

namespace mgdm::decoding {

Diffusion::Diffusion(const Puzzle& puzzle, std::size_t vocabulary)
    : Attempt(puzzle),
      vocabulary_(vocabulary),
      order_(order_kind(puzzle.settings.order).choose),
      revise_(puzzle.settings.revise == "on"),
      masks_again_(puzzle.settings.masks_again()) {
  const std::size_t length = puzzle.tokens.size();
  for (const std::uint8_t frozen : puzzle.frozen) diffused_.push_back(!frozen);
  diffused_count_ = static_cast<std::size_t>(std::count(diffused_.begin(), diffused_.end(), 1));
  masked_.resize(length);
  mask_.resize(length);
  prediction_.resize(length);
  score_.resize(length);
  preference_.resize(vocabulary);
  if (puzzle.settings.stochastic())
    uniform_.resize(length * (puzzle.settings.samples_tokens() ? 1 + vocabulary : 1));
}

void Diffusion::on_take(std::span<float> logits) {
  const std::size_t length = tokens_.size();
  MGDM_CHECK(logits.size() == length * vocabulary_);
  const std::int64_t t = puzzle_.settings.steps - 1 - passes_;
  for (std::size_t n = 0; n < length; ++n)
    masked_[n] = diffused_[n] && tokens_[n] == puzzle_.specials.mask;
  predict(logits, revise_ || masks_again_ ? diffused_ : masked_);

  const std::vector<std::uint8_t>& predicted = revise_ ? diffused_ : masked_;
  for (std::size_t n = 0; n < length; ++n)
    if (predicted[n]) {
      tokens_[n] = prediction_[n];
      confidence_[n] = std::exp(score_[n]);
    }
  done_ = t == 0 || (puzzle_.settings.early_stop && settled(predicted));
  if (done_) return;
  if (puzzle_.settings.early_stop) previous_ = tokens_;

  order_({.t = t,
          .diffused = diffused_count_,
          .eligible = masks_again_ ? diffused_ : masked_,
          .masked = masked_,
          .log_probs = logits,
          .score = score_,
          .draws = std::span(uniform_).first(std::min(uniform_.size(), length))},
         puzzle_.settings, mask_);
  bool complete = true;
  for (std::size_t n = 0; n < length; ++n)
    if (mask_[n]) {
      tokens_[n] = puzzle_.specials.mask;
      complete = false;
    }
  done_ = complete && !masks_again_;
}

void Diffusion::predict(std::span<float> logits, std::span<const std::uint8_t> wanted) {
  const std::size_t length = tokens_.size();
  const auto temperature = static_cast<float>(puzzle_.settings.temperature);
  draws_.fill(passes_, uniform_);
  for (std::size_t n = 0; n < length; ++n) {
    if (!wanted[n]) continue;
    const std::span<float> log_probs = logits.subspan(n * vocabulary_, vocabulary_);
    answer_log_probs(log_probs, puzzle_.specials);
    std::copy(log_probs.begin(), log_probs.end(), preference_.begin());
    if (puzzle_.settings.samples_tokens())  // argmax(l + T g) = argmax(l/T + g): a sample
      for (std::size_t v = 0; v < vocabulary_; ++v)
        preference_[v] += temperature * gumbel(uniform_[length + n * vocabulary_ + v]);
    const std::size_t token = likeliest(preference_);
    prediction_[n] = static_cast<data::Token>(token);
    score_[n] = log_probs[token];
  }
}

bool Diffusion::settled(std::span<const std::uint8_t> predicted) const {
  if (tokens_ != previous_) return false;
  const auto sure = static_cast<float>(puzzle_.settings.threshold);
  for (std::size_t n = 0; n < tokens_.size(); ++n)
    if (predicted[n] && !(confidence_[n] > sure)) return false;
  return true;
}

}  // namespace mgdm::decoding
