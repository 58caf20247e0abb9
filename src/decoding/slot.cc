#include "decoding/slot.h"

#include <utility>

namespace mgdm::decoding {

Slot::Slot(SlotId id, Try one, Network& network)
    : id_(id), try_(std::move(one)), attempt_(make_attempt(try_.puzzle, network)) {
  attempt_->begin();
  done_ = attempt_->done();
}

void Slot::take(std::span<float> logits) {
  try {
    attempt_->take(logits);
    done_ = !observer_goes_on() || attempt_->done();
  } catch (...) {
    fail(std::current_exception());
  }
}

bool Slot::observer_goes_on() const {
  return !try_.observer || try_.observer({.attempt = puzzle().attempt,
                                          .pass = attempt_->passes() - 1,
                                          .tokens = attempt_->tokens(),
                                          .confidence = attempt_->confidence()});
}

void Slot::fail(std::exception_ptr error) {
  error_ = std::move(error);
  done_ = true;
}

TryResult Slot::result() const {
  return {id_, {attempt_->tokens().begin(), attempt_->tokens().end()}, attempt_->passes(), error_};
}

}  // namespace mgdm::decoding
