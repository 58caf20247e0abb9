#include "decoding/slot.h"

#include <utility>

#include "base/error.h"

namespace mgdm::decoding {

Slot::Slot(SlotId id, Request request, Network& network)
    : request_(std::move(request)), attempt_(make_attempt(request_.puzzle, network)) {
  finished_.slot = id;
  const spec::DecodingSettings& settings = request_.puzzle.settings;
  settings.check_tries();
  MGDM_CHECK(settings.tries == 1 || request_.verified);
  MGDM_CHECK(request_.views.empty());
  attempt_->begin(request_.puzzle.first_try);
  // Where nothing is to be decoded, every try is the same.
  tries_ = attempt_->done() ? 1 : settings.tries;
  if (attempt_->done()) end_of_try();
}

void Slot::take(std::span<float> logits) {
  try {
    attempt_->take(logits);
    observe();
  } catch (...) {
    fail(std::current_exception());
    return;
  }
  if (stopped_ || attempt_->done()) end_of_try();
}

void Slot::observe() {
  if (!request_.observer) return;
  stopped_ = !request_.observer({.slot = id(),
                                 .attempt = try_,
                                 .pass = attempt_->passes() - 1,
                                 .tokens = attempt_->tokens(),
                                 .confidence = attempt_->confidence()});
}

void Slot::end_of_try() {
  try {
    record();
    const bool accepted = request_.verified && request_.verified(attempt_->tokens());
    if (accepted) {
      finished_.best.tokens.assign(attempt_->tokens().begin(), attempt_->tokens().end());
      finished_.successful_try = try_;
    }
    done_ = accepted || stopped_ || ++try_ == tries_;
    if (!done_) attempt_->begin(request_.puzzle.first_try + try_);
  } catch (...) {
    finished_.error = std::current_exception();
    done_ = true;
  }
}

void Slot::fail(std::exception_ptr error) {
  record();
  finished_.error = std::move(error);
  done_ = true;
}

void Slot::record() {
  finished_.best.forward_passes += attempt_->passes();
  if (try_ > 0) return;
  finished_.best.tokens.assign(attempt_->tokens().begin(), attempt_->tokens().end());
  finished_.first = finished_.best;
}

}  // namespace mgdm::decoding
