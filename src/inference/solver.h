// Answers puzzles over a network: a puzzle's forms become slots (decoding/slots.h), one after the
// other or side by side.
//
// A form shows the puzzle under a symmetry of its task (data/view.h). A network is hardly ever as
// symmetric as its task: what is hard for it in one form is easier in another.
//
// Tries (settings.tries > 1): the next form is decoded until an answer verifies. All forms come
// once before one comes again, and again only where decoding is stochastic.
//
// Votes (settings.symmetries > 1): all forms are decoded side by side, and the most frequent answer
// wins. Right answers agree, wrong ones seldom do (docs/experiments.md).
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "data/view.h"
#include "decoding/slots.h"
#include "inference/load_network.h"

namespace mgdm::inference {

// Whether the tokens (N) of an answer are right.
using Verifier = std::function<bool(std::span<const data::Token> tokens)>;

struct Question {
  decoding::Puzzle puzzle;             // its settings resolved (LoadedModel::resolved)
  std::vector<data::View> views = {};  // the other forms, which are tried or vote
  Verifier verified = {};              // for tries; without one the forms vote
  // Sees every try in the puzzle's own row; of votes it sees the puzzle as it is. Returning false
  // ends the question with what the step showed.
  decoding::Observer observer = {};
};

struct Answer {
  std::vector<data::Token> tokens = {};  // (N)
  std::int64_t passes = 0;
};

// How many forms were asked for, how many were decoded, since a puzzle may have fewer, and how many
// of these gave the answer.
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

// The number of the most frequent answer, the first of them where several are equally frequent.
std::size_t most_agreed(std::span<const std::vector<data::Token>> answers);

}  // namespace mgdm::inference
