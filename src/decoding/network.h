// The interface of a network as decoders see it.
//
// A network reads rows of tokens with [MASK] at hidden positions and gives logits about each
// position; a causal one can also continue a sequence. Decoders put the rows of many
// callers into one call, so the logits of a row may depend on that row alone, up to rounding.
//
//   std::vector<float> logits(rows.count * rows.length * network.vocabulary());
//   network.logits(rows, /*loops=*/0, logits);
//
// Threads: one call at a time per network, whatever threads it uses inside; different networks are
// independent. Spans are read and written during the call only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "data/rows.h"
#include "data/vocabulary.h"

namespace mgdm::decoding {

// From logits to the probabilities of answers.

// Whether an answer may have this token. [MASK], [SEP] and [UNK] are excluded; [EOS] and [PAD] are
// not, because the length of an answer is learned.
constexpr bool is_answer(std::size_t token) {
  return token != data::kMask && token != data::kSep && token != data::kUnk;
}

// Turns logits (V) about one position into log-probabilities, in place: -inf for [MASK], [SEP] and
// [UNK]. Error when the logits are not finite, as those of a model that diverged.
void answer_log_probs(std::span<float> logits, const data::Specials& specials = {});

// log softmax (K), in place. Error as above.
void log_softmax(std::span<float> values);

// The index of the largest value; the first one of ties.
std::size_t likeliest(std::span<const float> values);

using Rows = data::RowsView;  // tokens with [MASK] at hidden positions

// The state of a causal network for one sequence, such as keys and values. Network::start makes it;
// only that network uses it, and it must not outlive the network.
class Sequence {
 public:
  virtual ~Sequence() = default;
};

// The tokens that follow what `sequence` has read already; at least one.
struct Reading {
  Sequence* sequence = nullptr;
  std::span<const data::Token> tokens;
};

class Network {
 public:
  virtual ~Network() = default;

  virtual std::size_t vocabulary() const = 0;  // V
  virtual bool causal() const { return false; }

  // Logits (B, N, V), position n about token n. `loops` is how often a looped network goes through
  // its layers, 0 as often as it was trained to; others ignore it.
  virtual void logits(const Rows& rows, std::int64_t loops, std::span<float> logits) = 0;

  // A network over the same weights, with `threads` and buffers of its own, for another thread; it
  // may outlive this one. Null where that is not possible.
  virtual std::unique_ptr<Network> share(int /*threads*/) const { return nullptr; }

  // Causal networks only: an empty sequence ...
  virtual std::unique_ptr<Sequence> start(std::int64_t loops);

  // ... and logits (B, V) about the token after each of B readings, which may differ in length. No
  // sequence may occur twice in one call. After an exception its sequences cannot be used.
  virtual void next_logits(std::span<const Reading> readings, std::span<float> logits);
};

}  // namespace mgdm::decoding
