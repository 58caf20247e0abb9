// Many puzzles on one network: every pass asks it once about all of them.
//
// Slots join and leave between passes, so that a caller is answered while others still wait, and
// nobody waits for a batch to fill. What a slot answers depends on its puzzle alone, never on the
// slots beside it (up to the rounding of a network whose products depend on the batch).
//
//   Slots slots(network);
//   const SlotId slot = slots.join({.puzzle = puzzle});
//   while (slots.active() > 0)
//     for (const Finished& finished : slots.pass()) deliver(finished);
//
// One thread at a time. Observers and verifiers run inside pass() (a verifier in join() where
// nothing is to be decoded) and must not call back.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "decoding/slot.h"

namespace mgdm::decoding {

class Slots {
 public:
  explicit Slots(Network& network) : network_(network) {}  // which must outlive them

  // Takes part from the next pass on. Ids count up from 0. Throws what Slot's constructor throws.
  SlotId join(Request request);

  // The slot leaves without an answer. False when there is no such slot: it may have finished.
  bool cancel(SlotId slot);

  // How many take part in the next pass, or are finished and will be handed out by it.
  std::size_t active() const { return slots_.size(); }

  // One pass for every slot: a call of the network for all that have the same length and loops, and
  // one for all that read from left to right. Gives back those that finished, in the order in which
  // they joined; they have left. An exception of the network ends the slots of that call.
  std::vector<Finished> pass();

 private:
  using Group = std::span<Slot* const>;
  void pass_over_rows(Group group);
  void pass_over_sequences(Group group);

  Network& network_;
  std::vector<std::unique_ptr<Slot>> slots_;  // in the order in which they joined
  SlotId next_id_ = 0;

  // Of one call, kept for the next.
  std::vector<Slot*> waiting_;
  std::vector<data::Token> tokens_;
  std::vector<std::uint8_t> frozen_;
  std::vector<Reading> readings_;
  std::vector<float> logits_;
};

// All of them from the start to the end, in one batch: answers in the order of the requests, which
// are slots 0, 1, 2, ... to their observers. Throws the first error of a slot, and Interrupted.
std::vector<Finished> decode(Network& network, std::vector<Request> requests);

}  // namespace mgdm::decoding
