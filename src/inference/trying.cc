#include "inference/trying.h"

#include <map>
#include <utility>
#include <vector>

namespace mgdm::inference {
namespace {

using data::Token;
using decoding::Finished;
using decoding::Request;
using decoding::SlotId;

// One puzzle. Form 0 is the puzzle as it was posed, form k its view k - 1.
struct Trial {
  Request asked;
  std::size_t form = 0;           // the one at hand
  std::int64_t tries_before = 0;  // in the forms before it
  bool stopped = false;           // by its observer
  Finished result;

  const decoding::Puzzle& puzzle() const { return asked.puzzle; }
  const data::View& view() const { return asked.views[form - 1]; }

  // Of the form at hand: the tries are shared out, the first forms take what is over.
  std::int64_t tries() const {
    const spec::DecodingSettings& settings = puzzle().settings;
    if (!settings.stochastic()) return 1;
    const auto forms = std::ssize(asked.views) + 1;
    return settings.tries / forms + (std::cmp_less(form, settings.tries % forms) ? 1 : 0);
  }

  // What a row of the form at hand says, in the puzzle's own.
  std::vector<Token> own(std::span<const Token> tokens) const {
    if (form == 0) return {tokens.begin(), tokens.end()};
    return data::carried_back(view(), tokens, puzzle().tokens, puzzle().frozen);
  }
};

class TryingEngine : public Engine {
 public:
  explicit TryingEngine(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}

  SlotId join(Request request) override {
    auto trial = std::make_unique<Trial>();
    trial->result.slot = next_;
    if (!request.verified) request.views.clear();
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
      std::unique_ptr<Trial> trial = std::move(node.mapped());
      if (!take(*trial, std::move(finished))) go_on(trial);
      if (trial) all.push_back(std::move(trial->result));
    }
    return all;
  }

  std::string device() const override { return engine_->device(); }
  std::string arithmetic() const override { return engine_->arithmetic(); }

 private:
  // The form at hand goes to the other engine, and the trial to those that are open.
  void start(std::unique_ptr<Trial>& trial) {
    const SlotId there = engine_->join(request_of(*trial));
    open_.emplace(there, std::move(trial));
  }

  // With its next form, or it ends with what went wrong.
  void go_on(std::unique_ptr<Trial>& trial) {
    try {
      start(trial);
    } catch (...) {
      trial->result.error = std::current_exception();
    }
  }

  static Request request_of(Trial& trial) {
    Request request{.puzzle = trial.puzzle()};
    request.puzzle.settings.tries = trial.tries();
    if (trial.form > 0) {
      request.puzzle.tokens = trial.view().tokens;
      request.puzzle.frozen = trial.view().frozen;
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
    if (trial.form > 0)
      for (std::size_t n = 0; n < confidence.size(); ++n)
        confidence[n] = step.confidence[trial.view().places[n]];
    const bool go_on = trial.asked.observer({.slot = trial.result.slot,
                                             .attempt = trial.tries_before + step.attempt,
                                             .pass = step.pass,
                                             .tokens = tokens,
                                             .confidence = confidence});
    trial.stopped = !go_on;
    return go_on;
  }

  // Whether that ends the puzzle.
  static bool take(Trial& trial, Finished&& finished) {
    Finished& result = trial.result;
    result.error = finished.error;
    if (trial.form == 0) {
      result.first = std::move(finished.first);
      result.best.tokens = finished.best.tokens;
    }
    result.best.forward_passes += finished.best.forward_passes;
    const bool accepted = finished.successful_try >= 0;
    if (accepted) {
      result.best.tokens = trial.own(finished.best.tokens);
      result.successful_try = trial.tries_before + finished.successful_try;
    }
    trial.tries_before += trial.tries();
    return accepted || result.error || trial.stopped || trial.form++ == trial.asked.views.size();
  }

  const std::shared_ptr<Engine> engine_;
  std::map<SlotId, std::unique_ptr<Trial>>
      open_;  // by the other engine's slots; requests refer to them
  SlotId next_ = 0;
};

}  // namespace

std::unique_ptr<Engine> trying_engine(std::shared_ptr<Engine> engine) {
  return std::make_unique<TryingEngine>(std::move(engine));
}

}  // namespace mgdm::inference
