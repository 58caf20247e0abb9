// Decoding under multinomial noise (D3PM): from random tokens to an answer in T passes.
//
// Such a network has never seen a [MASK]. Pass t = T-1 .. 0 draws every diffused token anew from
// p(x_{t-1} | x_t), the posterior of the noise with the network's prediction in place of x_0
// (uniform_posterior.h); the last pass takes the likeliest. Of the settings only steps and seed
// matter.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decoding/attempt.h"

namespace mgdm::decoding {

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
