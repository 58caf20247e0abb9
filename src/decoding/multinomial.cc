#include "decoding/multinomial.h"

#include <cmath>

#include "base/error.h"
#include "decoding/log_probs.h"
#include "decoding/uniform_posterior.h"

namespace mgdm::decoding {

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
