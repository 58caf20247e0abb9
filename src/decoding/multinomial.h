// Decoding under multinomial noise (D3PM): from random tokens to an answer in T passes.
//
// Such a network has never seen a [MASK]. Pass t = T-1 .. 0 draws every diffused token anew from
// p(x_{t-1} | x_t), the posterior of the noise with the network's prediction in place of x_0
// (below); the last pass takes the likeliest. Of the settings only steps and seed
// matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/vocabulary.h"
#include "decoding/attempt.h"

namespace mgdm::decoding {

// The posterior of uniform (multinomial) noise over K categories, paper eq. 9 in the appendix: what
// one position held a step earlier. With Q_t = (1 - beta_t) I + beta_t / K and
// alpha_t = 1 - (t + 1) / T, so that beta_t = 1 - alpha_t / alpha_{t-1} = 1 / (T - t),
//
//   p(x_{t-1} | x_t)  ~  [(1 - beta_t) x_t + beta_t / K] * [alpha_{t-1} f + (1 - alpha_{t-1}) / K]
//
// where x_t is one-hot and f the network's distribution over x_0.

// The categories of a position: [PAD], [EOS] and the ordinary tokens are 0, 1, 2, ...; [SEP],
// [MASK] and [UNK] never occur in an answer, so K = V - 3.
constexpr std::size_t category_count(std::size_t vocabulary) { return vocabulary - 3; }
data::Token token_of_category(std::size_t category);
std::size_t category_of_token(data::Token token);  // of a token that has one

// log f (K) from logits (V). Error when they are no numbers.
void category_log_probs(std::span<const float> logits, std::span<float> log_f);

// log p(x_{t-1} | x_t) (K), t in 0..T-1; x_{-1} is the data.
void log_uniform_posterior(std::size_t x_t, std::span<const float> log_f, std::int64_t t,
                           std::int64_t steps, std::span<float> log_posterior);

class Multinomial : public Attempt {
 public:
  Multinomial(const Puzzle& puzzle, std::size_t vocabulary);

 protected:
  void on_begin() override;
  void on_take(std::span<float> logits) override;

 private:
  const std::size_t vocabulary_;      // V
  std::vector<float> log_f_;          // (K) log-probabilities of x_0 at one position
  std::vector<float> log_posterior_;  // (K) of x_{t-1} there
  std::vector<float> uniform_;        // (N, K) draws of one pass
};

}  // namespace mgdm::decoding
