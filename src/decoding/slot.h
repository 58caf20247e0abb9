// A slot: one try at one puzzle, with an observer who watches and a verifier who judges the answer.
// Further tries are further slots: inference/trying.h.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "data/view.h"
#include "decoding/attempt.h"

namespace mgdm::decoding {

using SlotId = std::uint64_t;

// What is seen after a pass. The spans are good during the call only.
struct Step {
  SlotId slot = 0;
  std::int64_t attempt = 0;             // the number of the try, from 0 (inference/trying.h) ...
  std::int64_t pass = 0;                // ... and of the pass in it, from 0
  std::span<const data::Token> tokens;  // (N), [MASK] where nothing is shown yet
  std::span<const float> confidence;    // (N): how probable the network found its predictions
};

// Called after every pass of a slot. Returning false ends the slot there and then, its tokens as
// they are; so does an exception, which the slot's owner gets.
using Observer = std::function<bool(const Step& step)>;

// Is this a right answer? An exception ends the slot and goes to its owner.
using Verifier = std::function<bool(std::span<const data::Token> tokens)>;

struct Request {
  Puzzle puzzle;
  Observer observer = {};
  Verifier verified = {};              // needed for more than one try
  std::vector<data::View> views = {};  // other forms: inference/voting.h, trying.h. A slot has none
};

struct Answer {
  std::vector<data::Token> tokens;  // (N)
  std::int64_t forward_passes = 0;
};

// Forms of a puzzle: how many were asked for, how many were decoded, since it may have fewer, and
// how many of these gave the answer.
struct Votes {
  std::int64_t asked = 1, forms = 1, agreed = 1;
  bool operator==(const Votes&) const = default;
};

struct Finished {
  SlotId slot = 0;
  Answer first = {};                 // of the first try alone: what a single try reaches
  Answer best = {};                  // the accepted answer, else the first; passes of all tries
  std::int64_t successful_try = -1;  // which try was accepted, from 0; -1 for none
  Votes votes = {};                  // of a request with views (inference/voting.h)
  std::exception_ptr error = {};     // what ended the slot too early; null when all went well
};

class Slot {
 public:
  // Throws what make_attempt throws.
  Slot(SlotId id, Request request, Network& network);
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  SlotId id() const { return finished_.slot; }
  const Puzzle& puzzle() const { return request_.puzzle; }
  const Attempt& attempt() const { return *attempt_; }

  // See Attempt::take. Nothing is thrown: an exception ends the slot.
  void take(std::span<float> logits);
  void fail(std::exception_ptr error);

  bool done() const { return done_; }
  Finished finish() && { return std::move(finished_); }  // once it is done

 private:
  bool observe() const;  // whether to go on
  void end();
  void record();  // what there is as the answer

  const Request request_;
  std::unique_ptr<Attempt> attempt_;
  bool done_ = false;
  Finished finished_;
};

}  // namespace mgdm::decoding
