#include "decoding/multinomial.h"

#include <cmath>

#include "base/error.h"
#include "decoding/network.h"

namespace mgdm::decoding {

data::Token token_of_category(std::size_t category) {
  if (category == 0) return data::kPad;
  if (category == 1) return data::kEos;
  return static_cast<data::Token>(category + 3);
}

std::size_t category_of_token(data::Token token) {
  MGDM_CHECK(is_answer(token));
  if (token == data::kPad) return 0;
  if (token == data::kEos) return 1;
  return token - std::size_t{3};
}

void category_log_probs(std::span<const float> logits, std::span<float> log_f) {
  MGDM_CHECK(log_f.size() == category_count(logits.size()));
  for (std::size_t k = 0; k < log_f.size(); ++k) log_f[k] = logits[token_of_category(k)];
  log_softmax(log_f);
}

void log_uniform_posterior(std::size_t x_t, std::span<const float> log_f, std::int64_t t,
                           std::int64_t steps, std::span<float> log_posterior) {
  const auto categories = static_cast<float>(log_f.size());                      // K
  const float noise_before = static_cast<float>(t) / static_cast<float>(steps);  // 1 - alpha_{t-1}
  const float beta = 1 / static_cast<float>(steps - t);
  const float other = beta / categories;           // the first factor where x_{t-1} != x_t ...
  const float same = 1 - beta + other;             // ... and where they are the same
  const float spread = noise_before / categories;  // of the second factor
  for (std::size_t k = 0; k < log_f.size(); ++k)
    log_posterior[k] = std::log(k == x_t ? same : other) +
                       std::log((1 - noise_before) * std::exp(log_f[k]) + spread);
  log_softmax(log_posterior);
}

Multinomial::Multinomial(const Puzzle& puzzle, std::size_t vocabulary)
    : Attempt(puzzle),
      vocabulary_(vocabulary),
      log_f_(category_count(vocabulary)),
      log_posterior_(log_f_.size()),
      uniform_(puzzle.tokens.size() * log_f_.size()) {}

void Multinomial::on_begin() {
  // x_T has the draws of the pass after the last, which needs none.
  const std::span<float> draws = std::span(uniform_).first(tokens_.size());
  draws_.fill(puzzle_.settings.steps, draws);
  const auto categories = static_cast<float>(log_f_.size());
  for (std::size_t n = 0; n < tokens_.size(); ++n)
    if (!puzzle_.frozen[n])
      tokens_[n] = token_of_category(static_cast<std::size_t>(draws[n] * categories));
}

void Multinomial::on_take(std::span<float> logits) {
  MGDM_CHECK(logits.size() == tokens_.size() * vocabulary_);
  const std::int64_t t = puzzle_.settings.steps - 1 - passes_;
  if (t > 0) draws_.fill(passes_, uniform_);
  for (std::size_t n = 0; n < tokens_.size(); ++n) {
    if (puzzle_.frozen[n]) continue;
    category_log_probs(logits.subspan(n * vocabulary_, vocabulary_), log_f_);
    log_uniform_posterior(category_of_token(tokens_[n]), log_f_, t, puzzle_.settings.steps,
                          log_posterior_);
    if (t > 0)
      for (std::size_t k = 0; k < log_posterior_.size(); ++k)
        log_posterior_[k] += gumbel(uniform_[n * log_posterior_.size() + k]);
    const std::size_t category = likeliest(log_posterior_);
    tokens_[n] = token_of_category(category);
    confidence_[n] = std::exp(log_f_[category]);
  }
  done_ = t == 0;
}

}  // namespace mgdm::decoding
