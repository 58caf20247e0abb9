#include "decoding/uniform_posterior.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "decoding/log_probs.h"

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

}  // namespace mgdm::decoding
