#include "inference/trying.h"

#include <map>
#include <utility>
#include <vector>

#include "base/error.h"

namespace mgdm::inference {
namespace {

using data::Token;
using decoding::Finished;
using decoding::Request;
using decoding::SlotId;

// One puzzle. Form 0 is the puzzle as it was posed, form k its view k - 1.
struct Trial {
  Request asked;
  std::int64_t tries = 0;  // before the one at hand
  bool stopped = false;    // by its observer
  Finished result;

  const decoding::Puzzle& puzzle() const { return asked.puzzle; }
  std::int64_t forms() const { return std::ssize(asked.views) + 1; }

  // The view at hand, null for the puzzle as it was posed. All forms come once before one comes
  // again.
  const data::View* view() const {
    const std::int64_t form = tries % forms();
    return form == 0 ? nullptr : &asked.views[static_cast<std::size_t>(form - 1)];
  }

  // Whether another try may give another answer: without chance a form has one.
  bool may_go_on() const {
    const std::int64_t next = tries + 1;
    return next < puzzle().settings.tries && (puzzle().settings.stochastic() || next < forms());
  }

  // What a row of the form at hand says, in the puzzle's own.
  std::vector<Token> own(std::span<const Token> tokens) const {
    if (view() == nullptr) return {tokens.begin(), tokens.end()};
    return data::carried_back(*view(), tokens, puzzle().tokens, puzzle().frozen);
  }
};

class TryingEngine : public Engine {
 public:
  explicit TryingEngine(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}

  SlotId join(Request request) override {
    auto trial = std::make_unique<Trial>();
    trial->result.slot = next_;
    MGDM_CHECK(request.verified || request.views.empty());
    trial->asked = std::move(request);
    start(trial);
    return next_++;
  }

  bool cancel(SlotId slot) override {
    for (const auto& [there, trial] : open_) {
      if (trial->result.slot != slot) continue;
      engine_->cancel(there);
      open_.erase(there);
      return true;
    }
    return false;
  }

  std::size_t active() const override { return open_.size(); }

  std::vector<Finished> pass() override {
    std::vector<Finished> all;
    for (Finished& finished : engine_->pass()) {
      auto node = open_.extract(finished.slot);
      MGDM_CHECK(!node.empty());
      std::unique_ptr<Trial> trial = std::move(node.mapped());
      bool over = take(*trial, std::move(finished));
      if (!over) {
        try {
          start(trial);
        } catch (...) {
          trial->result.error = std::current_exception();
          over = true;
        }
      }
      if (over) all.push_back(std::move(trial->result));
    }
    return all;
  }

  std::size_t enough() const override { return engine_->enough(); }
  std::string device() const override { return engine_->device(); }
  std::string arithmetic() const override { return engine_->arithmetic(); }

 private:
  // The form at hand goes to the other engine, and the trial to those that are open.
  void start(std::unique_ptr<Trial>& trial) {
    const SlotId there = engine_->join(request_of(*trial));
    open_.emplace(there, std::move(trial));
  }

  static Request request_of(Trial& trial) {
    Request request{.puzzle = trial.puzzle()};
    request.puzzle.settings.tries = 1;
    request.puzzle.attempt = trial.tries;
    if (const data::View* const view = trial.view()) {
      request.puzzle.tokens = view->tokens;
      request.puzzle.frozen = view->frozen;
    }
    if (trial.asked.verified)
      request.verified = [&trial](std::span<const Token> tokens) {
        return trial.asked.verified(trial.own(tokens));
      };
    if (trial.asked.observer)
      request.observer = [&trial](const decoding::Step& step) { return seen(trial, step); };
    return request;
  }

  static bool seen(Trial& trial, const decoding::Step& step) {
    const std::vector<Token> tokens = trial.own(step.tokens);
    std::vector<float> confidence(step.confidence.begin(), step.confidence.end());
    if (const data::View* const view = trial.view())
      for (std::size_t n = 0; n < confidence.size(); ++n)
        confidence[n] = step.confidence[view->places[n]];
    const bool go_on = trial.asked.observer({.slot = trial.result.slot,
                                             .attempt = trial.tries,
                                             .pass = step.pass,
                                             .tokens = tokens,
                                             .confidence = confidence});
    trial.stopped = !go_on;
    return go_on;
  }

  // Whether that ends the puzzle; otherwise its next try is at hand.
  static bool take(Trial& trial, Finished&& finished) {
    Finished& result = trial.result;
    result.error = finished.error;
    result.best.forward_passes += finished.best.forward_passes;
    if (trial.tries == 0) {
      result.best.tokens = std::move(finished.best.tokens);
      result.first = result.best;
    }
    if (finished.successful_try >= 0) {
      if (trial.tries > 0) result.best.tokens = trial.own(finished.best.tokens);
      result.successful_try = trial.tries;
      return true;
    }
    if (result.error || trial.stopped || !trial.may_go_on()) return true;
    ++trial.tries;
    return false;
  }

  const std::shared_ptr<Engine> engine_;
  // By the other engine's slots; requests refer to them.
  std::map<SlotId, std::unique_ptr<Trial>> open_;
  SlotId next_ = 0;
};

}  // namespace

std::unique_ptr<Engine> trying_engine(std::shared_ptr<Engine> engine) {
  return std::make_unique<TryingEngine>(std::move(engine));
}

}  // namespace mgdm::inference
