// Decodes many puzzles together: a pass is one call of the network for all of them.
//
// Slots join and leave between passes, so a caller gets its answer while others still wait, and
// no caller waits for a batch to fill. The answer of a slot depends on its puzzle alone, never on
// the slots beside it, up to the rounding of a network that chooses its kernels by the batch size.
//
//   Slots slots(network);
//   const SlotId slot = slots.join({.puzzle = puzzle});
//   while (slots.active() > 0)
//     for (const TryResult& result : slots.pass()) deliver(result);
//
// One thread at a time. Observers run inside pass() and must not call back.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "decoding/batch_decoder.h"
#include "decoding/slot.h"

namespace mgdm::decoding {

class Slots {
 public:
  // Both must outlive the slots. The plain decoders decode tries that none of `decoders` accepts.
  explicit Slots(Network& network, std::vector<BatchDecoder*> decoders = {})
      : network_(network), decoders_(std::move(decoders)) {}

  // Adds a try from the next pass on. Ids count up from 0. Throws what make_attempt throws.
  SlotId join(Try one);

  // Removes a slot without an answer. False when there is no such slot: it may have finished.
  bool cancel(SlotId slot);

  // The number of slots that take part in the next pass, or are finished and returned by it.
  std::size_t active() const;

  // One pass for every slot: a call of the network for all that have the same length and loops, and
  // one for all that read from left to right. Returns those that finished, in the order in which
  // they joined; they have left. An exception of the network ends the slots of that call.
  std::vector<TryResult> pass();

 private:
  using Group = std::span<Slot* const>;
  void plain_pass();
  void pass_over_rows(Group group);
  void pass_over_sequences(Group group);

  Network& network_;
  const std::vector<BatchDecoder*> decoders_;
  std::vector<std::unique_ptr<Slot>> slots_;  // in the order in which they joined
  SlotId next_id_ = 0;

  // Buffers of one call, kept for the next.
  std::vector<Slot*> waiting_;
  std::vector<data::Token> tokens_;
  std::vector<std::uint8_t> frozen_;
  std::vector<Reading> readings_;
  std::vector<float> logits_;
};

// Decodes all tries in one batch, from start to end: results in the order of the tries. Throws the
// first error of a slot, and Interrupted.
std::vector<TryResult> decode(Network& network, std::vector<Try> tries);

}  // namespace mgdm::decoding
