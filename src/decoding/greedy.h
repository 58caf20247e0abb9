// Greedy decoding from left to right with a causal network.
//
// Every position that is not frozen takes the most probable token given those before it; after
// [EOS] come [PAD]s. A pass predicts one token. The settings have no effect.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "decoding/attempt.h"

namespace mgdm::decoding {

class Greedy : public Attempt {
 public:
  // Error when the network is not causal or the first position is not frozen.
  Greedy(const Puzzle& puzzle, Network& network);

  Sequence* sequence() const override { return sequence_.get(); }
  std::span<const data::Token> unread() const override {
    return tokens().subspan(read_, next_ - read_);
  }

 protected:
  void on_begin() override;
  void on_take(std::span<float> logits) override;

 private:
  std::size_t next_free(std::size_t from) const;  // N if there is none

  Network& network_;
  std::unique_ptr<Sequence> sequence_;
  std::size_t read_ = 0;  // tokens that the sequence has seen
  std::size_t next_ = 0;  // the position to predict
};

}  // namespace mgdm::decoding
