// Answers puzzles with a network: a puzzle's forms become slots (decoding/slots.h), one after
// another or side by side.
//
// A form is the puzzle under a symmetry of its task (data/rows.h). A network is rarely as symmetric
// as its task, so a puzzle that is hard in one form may be easy in another.
//
// Tries (settings.tries > 1): forms are decoded one after another until an answer verifies. A form
// repeats only after all others, and only if decoding is stochastic.
//
// Votes (settings.symmetries > 1): all forms are decoded side by side, and the most frequent answer
// wins. Right answers agree, wrong ones rarely do (docs/experiments.md).
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "data/rows.h"
#include "decoding/slots.h"
#include "inference/load_network.h"

namespace mgdm::inference {

// Whether the tokens (N) of an answer are right.
using Verifier = std::function<bool(std::span<const data::Token> tokens)>;

struct Question {
  decoding::Puzzle puzzle;             // its settings resolved (LoadedModel::resolved)
  std::vector<data::View> views = {};  // the other forms, which are tried or vote
  Verifier verified = {};              // for tries; without one the forms vote
  // Called after each pass of a try, translated to the puzzle's own row; with votes, only for the
  // puzzle as given. Returning false ends the question with the tokens of that pass.
  decoding::Observer observer = {};
};

struct Answer {
  std::vector<data::Token> tokens = {};  // (N)
  std::int64_t passes = 0;
};

// The number of forms asked for, of forms decoded (a puzzle may have fewer), and of forms that gave
// the answer.
struct Votes {
  std::int64_t asked = 1, forms = 1, agreed = 1;
  bool operator==(const Votes&) const = default;
};

using QuestionId = std::uint64_t;

struct Outcome {
  QuestionId id = 0;
  Answer first = {};                 // of a single try, or the vote
  Answer best = {};                  // the verified answer, else the first; passes of all tries
  std::int64_t successful_try = -1;  // which try verified, from 0; -1: none
  Votes votes = {};
  std::exception_ptr error = {};  // what ended the question too early; null when all went well
};

// One thread at a time, and one Solver at a time over a network.
class Solver {
 public:
  explicit Solver(const LoadedNetwork& network);  // which must outlive it
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // The question takes part from the next pass on. Throws what decoding::Slots::join throws.
  QuestionId join(Question question);
  bool cancel(QuestionId id);  // false when there is no such question: it may have finished
  std::size_t active() const { return running_.size(); }

  // One pass for every slot. Returns the questions that finished; they have left.
  std::vector<Outcome> pass();

 private:
  class Running;

  void join_form(Running& running, std::size_t form);
  bool take(Running& running, decoding::TryResult&& result);
  void leave(const Running& running);

  decoding::Slots slots_;
  std::map<QuestionId, std::unique_ptr<Running>> running_;
  std::map<decoding::SlotId, Running*> owners_;  // of all slots
  QuestionId next_ = 0;
};

// The index of the most frequent answer; the first of ties.
std::size_t most_agreed(std::span<const std::vector<data::Token>> answers);

}  // namespace mgdm::inference
