// A slot: one try at one puzzle while it is decoded, with an optional observer.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "decoding/attempt.h"

namespace mgdm::decoding {

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

}  // namespace mgdm::decoding
