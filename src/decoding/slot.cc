#include "decoding/slot.h"

#include <utility>

#include "base/error.h"

namespace mgdm::decoding {

Slot::Slot(SlotId id, Request request, Network& network)
    : request_(std::move(request)), attempt_(make_attempt(request_.puzzle, network)) {
  MGDM_CHECK(request_.puzzle.settings.tries == 1 && request_.views.empty());
  finished_.slot = id;
  attempt_->begin();
  if (attempt_->done()) end();
}

void Slot::take(std::span<float> logits) {
  try {
    attempt_->take(logits);
    if (!observe() || attempt_->done()) end();
  } catch (...) {
    fail(std::current_exception());
  }
}

bool Slot::observe() const {
  return !request_.observer || request_.observer({.slot = id(),
                                                  .pass = attempt_->passes() - 1,
                                                  .tokens = attempt_->tokens(),
                                                  .confidence = attempt_->confidence()});
}

void Slot::end() {
  record();
  try {
    if (request_.verified && request_.verified(attempt_->tokens())) finished_.successful_try = 0;
  } catch (...) {
    finished_.error = std::current_exception();
  }
}

void Slot::fail(std::exception_ptr error) {
  record();
  finished_.error = std::move(error);
}

void Slot::record() {
  finished_.first = {{attempt_->tokens().begin(), attempt_->tokens().end()}, attempt_->passes()};
  finished_.best = finished_.first;
  done_ = true;
}

}  // namespace mgdm::decoding
