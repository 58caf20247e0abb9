// Decoding by diffusion: from all [MASK] to an answer in at most T passes of the network.
//
// Every pass predicts each diffused position; an order (orders.h) says which positions are masked
// after it, the others show their token. `revise` says what happens to tokens already shown:
//
//   on      they take the new prediction, and may be masked again (the paper's TopK)
//   remask  they keep their value until they are masked again (RDM)
//   off     they stay as they are
//
// Only topk and margin mask again. `auto` is off here: DecodingSettings::resolved knows better.
// With steps = 1 everything is predicted at once, which is how a teacherless model decodes.
//
// It is done when nothing is masked and its order masks nothing again, so that fewer than T passes
// may be needed. With early_stop it is also done when two passes in a row give the same complete
// answer and every prediction in it is surer than the threshold; later passes could, but hardly
// would, have changed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decoding/attempt.h"
#include "decoding/orders.h"

namespace mgdm::decoding {

class Diffusion : public Attempt {
 public:
  Diffusion(const Puzzle& puzzle, std::size_t vocabulary);

 protected:
  void on_take(std::span<float> logits) override;

 private:
  // Fills in prediction_ and score_ where `wanted` (N), from logits (N, V), which become
  // log-probabilities there.
  void predict(std::span<float> logits, std::span<const std::uint8_t> wanted);
  // Is the answer in tokens_ that of the pass before, and everything predicted in it sure?
  bool settled(std::span<const std::uint8_t> predicted) const;

  const std::size_t vocabulary_;  // V
  const Order order_;
  const bool revise_, masks_again_;
  std::vector<std::uint8_t> diffused_;  // (N)
  std::size_t diffused_count_ = 0;      // L

  // About the pass at hand; (N) where nothing else is said.
  std::vector<std::uint8_t> masked_, mask_;  // before it and after it
  std::vector<data::Token> prediction_;      // of every position that matters
  std::vector<float> score_;                 // its log-probability
  std::vector<data::Token> previous_;        // the answer of the pass before
  std::vector<float> preference_;            // (V) at one position: its log-probabilities and noise
  std::vector<float> uniform_;               // N draws for positions, then N V for tokens
};

}  // namespace mgdm::decoding
