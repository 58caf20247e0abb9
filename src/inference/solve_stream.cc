#include "inference/solve_stream.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"

namespace mgdm::inference {
namespace {

constexpr std::size_t kHeld = 4;  // batches under way: one is decoded, the others wait their turn

}  // namespace

SolveStream::SolveStream(const LoadedModel& model, const decoding::DecodingSettings& settings,
                         std::size_t batch, Take take)
    : model_(model),
      settings_(model.resolved(settings)),
      most_(kHeld * batch),
      take_(std::move(take)),
      queue_(model.network(),
             {.slots = std::min(batch, model.network().enough), .waiting = kHeld * batch}) {}

void SolveStream::add(const std::string& puzzle) { add(model_.prepare(puzzle)); }

void SolveStream::add(Prepared&& puzzle) {
  wait_until_under_way(most_ - 1);
  std::uint32_t item = 0;
  Question question;
  {
    const std::lock_guard lock(mutex_);
    item = next_item_;
    if (puzzle.contradiction) {
      ++next_item_;
      return hand_out(item, [&] { return model_.unanswerable(puzzle, settings_); });
    }
    if (!settings_.stochastic()) {
      if (const auto known = remembered_.find(puzzle.input); known != remembered_.end()) {
        ++next_item_;
        return hand_out(item, [&] { return known->second; });
      }
      const auto [first, is_new] = equal_.try_emplace(puzzle.input);
      if (!is_new) {
        ++next_item_;
        return first->second.push_back(item);
      }
    }
    question = model_.question(puzzle, item, settings_);
    under_way_.emplace(item, std::move(puzzle));
    ++next_item_;  // not before there is a question: finish() waits for every number
  }
  try {
    const auto ticket = queue_.submit(
        std::move(question), [this, item](const Outcome& outcome) { answered(item, outcome); });
    MGDM_CHECK(ticket);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    throw;
  }
}

void SolveStream::finish() { wait_until_under_way(0); }

// Answers that wait for an earlier one count, too: they are held.
void SolveStream::wait_until_under_way(std::size_t most) {
  std::unique_lock lock(mutex_);
  while (!failure_ && next_item_ - next_taken_ > most) {
    changed_.wait_for(lock, std::chrono::milliseconds(100));
    stop_if_interrupted();
  }
  if (failure_) std::rethrow_exception(failure_);
}

void SolveStream::answered(std::uint32_t item, const Outcome& outcome) {
  const std::lock_guard lock(mutex_);
  const auto puzzle = under_way_.extract(item);
  Solved solved;
  hand_out(item, [&] {
    solved = model_.solved(puzzle.mapped(), outcome);
    model_.check(solved);
    return solved;
  });
  const auto equal = equal_.extract(puzzle.mapped().input);
  if (equal.empty()) return;
  for (const std::uint32_t again : equal.mapped()) hand_out(again, [&] { return solved; });
  if (remembered_.size() == kRemembered) remembered_.clear();
  remembered_.emplace(puzzle.mapped().input, std::move(solved));
}

void SolveStream::hand_out(std::uint32_t item, const std::function<Solved()>& make) {
  try {
    if (failure_) return;
    early_.emplace(item, make());
    for (auto next = early_.find(next_taken_); next != early_.end();
         next = early_.find(next_taken_)) {
      take_(next->second);
      early_.erase(next);
      ++next_taken_;
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  changed_.notify_all();
}

}  // namespace mgdm::inference
