#include "inference/solver.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace mgdm::inference {
namespace {

using data::Token;
using decoding::TryResult;
using Tokens = std::vector<Token>;

std::vector<decoding::BatchDecoder*> decoders_of(const LoadedNetwork& network) {
  std::vector<decoding::BatchDecoder*> decoders;
  for (const auto& decoder : network.decoders) decoders.push_back(decoder.get());
  return decoders;
}

}  // namespace

// A question in the solver. Form 0 is the puzzle as it is, form k its view k - 1.
class Solver::Running {
 public:
  Running(QuestionId id, Question&& question) : question_(std::move(question)), answers_(forms()) {
    outcome_.id = id;
    outcome_.votes.asked = question_.puzzle.settings.symmetries;
  }

  QuestionId id() const { return outcome_.id; }
  std::size_t forms() const { return question_.views.size() + 1; }
  bool votes() const { return !question_.verified && forms() > 1; }
  std::size_t next_form() const { return static_cast<std::size_t>(tries_) % forms(); }
  Outcome& outcome() { return outcome_; }

  std::map<decoding::SlotId, std::size_t> open;  // the forms that are being decoded

  decoding::Try try_of(std::size_t form) {
    decoding::Try one{.puzzle = question_.puzzle};
    one.puzzle.attempt = tries_;
    if (form > 0) {
      one.puzzle.tokens = view(form).tokens;
      one.puzzle.frozen = view(form).frozen;
    }
    if (question_.observer)
      one.observer = [this, form](const decoding::Step& step) { return observe(form, step); };
    return one;
  }

  // Whether that ends the question; otherwise a try may be next.
  bool take_try(std::size_t form, TryResult&& result) {
    outcome_.error = result.error;
    outcome_.best.passes += result.passes;
    Tokens tokens = own(form, std::move(result.tokens));
    if (tries_ == 0) outcome_.first = {tokens, result.passes};
    const bool right = !result.error && verifies(tokens);
    if (right) outcome_.successful_try = tries_;
    if (right || tries_ == 0) outcome_.best.tokens = std::move(tokens);
    if (right || outcome_.error || stopped_ || !another_try_may_differ()) return true;
    ++tries_;
    return false;
  }

  bool take_vote(std::size_t form, TryResult&& result) {
    Answer& answer = outcome_.best;
    answer.passes += result.passes;
    outcome_.error = result.error;
    answers_[form] = own(form, std::move(result.tokens));
    if (outcome_.error || (stopped_ && form == 0)) {
      answer = {std::move(answers_[form]), observed_};
    } else if (open.empty()) {
      answer.tokens = answers_[most_agreed(answers_)];
      outcome_.votes.forms = std::ssize(answers_);
      outcome_.votes.agreed = std::ranges::count(answers_, answer.tokens);
    } else {
      return false;
    }
    outcome_.first = answer;
    return true;
  }

 private:
  const data::View& view(std::size_t form) const { return question_.views[form - 1]; }

  // What a form's row says, in the puzzle's own row.
  Tokens own(std::size_t form, Tokens tokens) const {
    if (form == 0) return tokens;
    return data::carried_back(view(form), tokens, question_.puzzle.tokens, question_.puzzle.frozen);
  }

  bool observe(std::size_t form, const decoding::Step& step) {
    ++observed_;
    if (votes() && form > 0) return true;
    const Tokens tokens = own(form, {step.tokens.begin(), step.tokens.end()});
    std::vector<float> confidence(step.confidence.begin(), step.confidence.end());
    if (form > 0)
      for (std::size_t n = 0; n < confidence.size(); ++n)
        confidence[n] = step.confidence[view(form).places[n]];
    stopped_ = !question_.observer(
        {.attempt = step.attempt, .pass = step.pass, .tokens = tokens, .confidence = confidence});
    return !stopped_;
  }

  bool verifies(const Tokens& tokens) {
    try {
      return question_.verified && question_.verified(tokens);
    } catch (...) {
      outcome_.error = std::current_exception();
      return false;
    }
  }

  // Decoding that is not stochastic gives one answer to each form.
  bool another_try_may_differ() const {
    const decoding::DecodingSettings& settings = question_.puzzle.settings;
    const std::int64_t next = tries_ + 1;
    return question_.verified && next < settings.tries &&
           (settings.stochastic() || next < static_cast<std::int64_t>(forms()));
  }

  const Question question_;
  Outcome outcome_;
  std::int64_t tries_ = 0;  // before the one at hand
  bool stopped_ = false;    // by the observer
  // Only for votes:
  std::vector<Tokens> answers_;  // by form, in the puzzle's own row
  std::int64_t observed_ = 0;    // passes of all forms
};

Solver::Solver(const LoadedNetwork& network) : slots_(*network.network, decoders_of(network)) {
  MGDM_CHECK(slots_.active() == 0);
}

Solver::~Solver() {
  for (const auto& [slot, owner] : owners_) slots_.cancel(slot);
}

QuestionId Solver::join(Question question) {
  const QuestionId id = next_++;
  Running& running =
      *running_.emplace(id, std::make_unique<Running>(id, std::move(question))).first->second;
  try {
    const std::size_t forms = running.votes() ? running.forms() : 1;
    for (std::size_t form = 0; form < forms; ++form) join_form(running, form);
  } catch (...) {
    cancel(id);
    throw;
  }
  return id;
}

void Solver::join_form(Running& running, std::size_t form) {
  const decoding::SlotId slot = slots_.join(running.try_of(form));
  running.open.emplace(slot, form);
  owners_.emplace(slot, &running);
}

bool Solver::cancel(QuestionId id) {
  const auto found = running_.find(id);
  if (found == running_.end()) return false;
  leave(*found->second);
  running_.erase(found);
  return true;
}

void Solver::leave(const Running& running) {
  for (const auto& [slot, form] : running.open) {
    slots_.cancel(slot);
    owners_.erase(slot);
  }
}

std::vector<Outcome> Solver::pass() {
  std::vector<Outcome> finished;
  for (TryResult& result : slots_.pass()) {
    const auto owner = owners_.find(result.slot);
    if (owner == owners_.end()) continue;  // a form of a question that ended in this pass
    Running& running = *owner->second;
    owners_.erase(owner);
    if (!take(running, std::move(result))) continue;
    finished.push_back(std::move(running.outcome()));
    cancel(finished.back().id);
  }
  return finished;
}

// Whether the question is over; otherwise its next try has joined, or other forms are open.
bool Solver::take(Running& running, TryResult&& result) {
  const std::size_t form = running.open.extract(result.slot).mapped();
  if (running.votes()) return running.take_vote(form, std::move(result));
  if (running.take_try(form, std::move(result))) return true;
  try {
    join_form(running, running.next_form());
    return false;
  } catch (...) {
    running.outcome().error = std::current_exception();
    return true;
  }
}

std::size_t most_agreed(std::span<const Tokens> answers) {
  MGDM_CHECK(!answers.empty());
  std::size_t best = 0;
  std::ptrdiff_t most = 0;
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (const auto votes = std::ranges::count(answers, answers[i]); votes > most) {
      best = i;
      most = votes;
    }
  return best;
}

}  // namespace mgdm::inference
