#include "decoding/greedy.h"

#include <cmath>

#include "base/error.h"
#include "decoding/network.h"

namespace mgdm::decoding {

Greedy::Greedy(const Puzzle& puzzle, Network& network) : Attempt(puzzle), network_(network) {
  if (!network.causal())
    throw Error("this network does not read from left to right", "a causal one");
  if (!puzzle.frozen.empty() && !puzzle.frozen.front())
    throw Error("the first token is to be predicted, with nothing before it",
                "an input before the answer", "layout = \"seq2seq\" for autoregressive models");
}

void Greedy::on_begin() {
  sequence_ = network_.start(puzzle_.settings.loops);
  next_ = next_free(0);
}

void Greedy::on_take(std::span<float> logits) {
  answer_log_probs(logits, puzzle_.specials);
  const std::size_t token = likeliest(logits);
  tokens_[next_] = static_cast<data::Token>(token);
  confidence_[next_] = std::exp(logits[token]);
  read_ = next_;
  next_ = next_free(next_ + 1);
  if (token == puzzle_.specials.eos)
    for (; next_ < tokens_.size(); next_ = next_free(next_ + 1)) {
      tokens_[next_] = puzzle_.specials.pad;
      confidence_[next_] = 1;
    }
  done_ = next_ == tokens_.size();
  if (done_) sequence_.reset();  // its memory is wanted elsewhere
}

std::size_t Greedy::next_free(std::size_t from) const {
  while (from < tokens_.size() && puzzle_.frozen[from]) ++from;
  return from;
}

}  // namespace mgdm::decoding
