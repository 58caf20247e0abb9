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
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "decoding/attempt.h"

namespace mgdm::decoding {

// A slot: one try at one puzzle while it is decoded, with an optional observer.
using SlotId = std::uint64_t;

// The state that an observer gets after a pass. The spans are valid during the call only.
struct Step {
  std::int64_t attempt = 0;             // the number of the try, from 0 ...
  std::int64_t pass = 0;                // ... and of the pass in it, from 0
  std::span<const data::Token> tokens;  // (N), [MASK] where nothing is shown yet
  std::span<const float> confidence;    // (N): as Attempt::confidence()
};

// Called after every pass of a slot. Returning false ends the slot with its tokens as they are; so
// does an exception, which becomes the result's error.
using Observer = std::function<bool(const Step& step)>;

struct Try {
  Puzzle puzzle;
  Observer observer = {};
};

struct TryResult {
  SlotId slot = 0;
  std::vector<data::Token> tokens = {};  // (N), also where an observer or an error ended the try
  std::int64_t passes = 0;
  std::exception_ptr error = {};  // what ended the try too early; null when all went well
};

class Slot {
 public:
  // Throws what make_attempt throws.
  Slot(SlotId id, Try one, Network& network);
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  SlotId id() const { return id_; }
  const Puzzle& puzzle() const { return try_.puzzle; }
  const Attempt& attempt() const { return *attempt_; }

  // Attempt::take(), then the observer. Throws nothing: an exception ends the slot.
  void take(std::span<float> logits);
  void fail(std::exception_ptr error);

  bool done() const { return done_; }
  TryResult result() const;

 private:
  bool observer_goes_on() const;

  const SlotId id_;
  const Try try_;
  std::unique_ptr<Attempt> attempt_;
  bool done_ = false;
  std::exception_ptr error_;
};

// Decodes some tries by itself, in place of the plain decoders over a Network: a whole batch on the
// GPU by kernels, or VDM's vectors. Slots hands every try to the first one that takes it.
class BatchDecoder {
 public:
  virtual ~BatchDecoder() = default;

  virtual bool takes(const Try& one) const = 0;

  // The try takes part from the next pass() on. cancel() is false when the slot has left already.
  virtual void join(SlotId slot, Try one) = 0;
  virtual bool cancel(SlotId slot) = 0;
  virtual std::size_t active() const = 0;

  // One or more passes over the active tries: the results of those that finished, in any order.
  // Throws Interrupted only; other errors become results.
  virtual std::vector<TryResult> pass() = 0;
};

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
