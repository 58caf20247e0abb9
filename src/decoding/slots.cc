#include "decoding/slots.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/interrupt.h"

namespace mgdm::decoding {
namespace {

// Slots with the same key go into one call of the network. Sequences may differ in length.
auto key(const Slot* slot) {
  const bool reads_on = slot->attempt().sequence() != nullptr;
  return reads_on ? std::tuple(true, std::size_t{0}, std::int64_t{0})
                  : std::tuple(false, slot->puzzle().tokens.size(), slot->puzzle().settings.loops);
}

}  // namespace

SlotId Slots::join(Request request) {
  slots_.push_back(std::make_unique<Slot>(next_id_, std::move(request), network_));
  return next_id_++;
}

bool Slots::cancel(SlotId slot) {
  return std::erase_if(slots_, [&](const auto& other) { return other->id() == slot; }) > 0;
}

std::vector<Finished> Slots::pass() {
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
    } catch (...) {  // the network's: a slot keeps its own exceptions
      for (Slot* slot : group) slot->fail(std::current_exception());
    }
  }

  std::vector<Finished> finished;
  for (const auto& slot : slots_)
    if (slot->done()) finished.push_back(std::move(*slot).finish());
  std::erase_if(slots_, [](const auto& slot) { return slot->done(); });
  return finished;
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

std::vector<Finished> decode(Network& network, std::vector<Request> requests) {
  Slots slots(network);
  std::vector<Finished> all(requests.size());
  for (Request& request : requests) slots.join(std::move(request));
  while (slots.active() > 0) {
    stop_if_interrupted();
    for (Finished& finished : slots.pass()) {
      if (finished.error) std::rethrow_exception(finished.error);
      all[finished.slot] = std::move(finished);
    }
  }
  return all;
}

}  // namespace mgdm::decoding
