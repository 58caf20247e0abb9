#include "decoding/slots.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"

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

namespace {

// Slots with the same key go into one call of the network. Sequences may differ in length.
auto key(const Slot* slot) {
  const bool reads_on = slot->attempt().sequence() != nullptr;
  return reads_on ? std::tuple(true, std::size_t{0}, std::int64_t{0})
                  : std::tuple(false, slot->puzzle().tokens.size(), slot->puzzle().settings.loops);
}

}  // namespace

SlotId Slots::join(Try one) {
  const auto takes = [&](const BatchDecoder* decoder) { return decoder->takes(one); };
  if (const auto found = std::ranges::find_if(decoders_, takes); found != decoders_.end())
    (*found)->join(next_id_, std::move(one));
  else
    slots_.push_back(std::make_unique<Slot>(next_id_, std::move(one), network_));
  return next_id_++;
}

bool Slots::cancel(SlotId slot) {
  for (BatchDecoder* decoder : decoders_)
    if (decoder->cancel(slot)) return true;
  return std::erase_if(slots_, [&](const auto& other) { return other->id() == slot; }) > 0;
}

std::size_t Slots::active() const {
  std::size_t count = slots_.size();
  for (const BatchDecoder* decoder : decoders_) count += decoder->active();
  return count;
}

std::vector<TryResult> Slots::pass() {
  plain_pass();
  std::vector<TryResult> finished;
  for (const auto& slot : slots_)
    if (slot->done()) finished.push_back(slot->result());
  std::erase_if(slots_, [](const auto& slot) { return slot->done(); });
  for (BatchDecoder* decoder : decoders_)
    if (decoder->active() > 0) std::ranges::move(decoder->pass(), std::back_inserter(finished));
  std::ranges::sort(finished, {}, &TryResult::slot);
  return finished;
}

void Slots::plain_pass() {
  waiting_.clear();
  for (const auto& slot : slots_)
    if (!slot->done()) waiting_.push_back(slot.get());
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const Slot* a, const Slot* b) { return key(a) < key(b); });
  for (auto begin = waiting_.begin(); begin != waiting_.end();) {
    const auto end = std::find_if(begin, waiting_.end(),
                                  [&](const Slot* slot) { return key(slot) != key(*begin); });
    const Group group(begin, end);
    begin = end;
    try {
      if (group.front()->attempt().sequence() != nullptr)
        pass_over_sequences(group);
      else
        pass_over_rows(group);
    } catch (const Interrupted&) {
      throw;
    } catch (...) {  // the network's: a slot keeps its own exceptions
      for (Slot* slot : group) slot->fail(std::current_exception());
    }
  }
}

void Slots::pass_over_rows(Group group) {
  const Puzzle& any = group.front()->puzzle();
  const std::size_t length = any.tokens.size(), each = length * network_.vocabulary();
  tokens_.clear();
  frozen_.clear();
  for (const Slot* slot : group) {
    const std::span<const data::Token> tokens = slot->attempt().tokens();
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
    frozen_.insert(frozen_.end(), slot->puzzle().frozen.begin(), slot->puzzle().frozen.end());
  }
  logits_.resize(group.size() * each);
  network_.logits({group.size(), length, tokens_, frozen_}, any.settings.loops, logits_);
  for (std::size_t b = 0; b < group.size(); ++b)
    group[b]->take(std::span(logits_).subspan(b * each, each));
}

void Slots::pass_over_sequences(Group group) {
  const std::size_t vocabulary = network_.vocabulary();
  readings_.clear();
  for (const Slot* slot : group)
    readings_.push_back({slot->attempt().sequence(), slot->attempt().unread()});
  logits_.resize(group.size() * vocabulary);
  network_.next_logits(readings_, logits_);
  for (std::size_t b = 0; b < group.size(); ++b)
    group[b]->take(std::span(logits_).subspan(b * vocabulary, vocabulary));
}

std::vector<TryResult> decode(Network& network, std::vector<Try> tries) {
  Slots slots(network);
  std::vector<TryResult> all(tries.size());
  for (Try& one : tries) slots.join(std::move(one));
  while (slots.active() > 0) {
    stop_if_interrupted();
    for (TryResult& result : slots.pass()) {
      if (result.error) std::rethrow_exception(result.error);
      all[result.slot] = std::move(result);
    }
  }
  return all;
}

}  // namespace mgdm::decoding
