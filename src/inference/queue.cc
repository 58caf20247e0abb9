#include "inference/queue.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "base/error.h"

namespace mgdm::inference {

Queue::Queue(const LoadedNetwork& network, const QueueSettings& settings)
    : solver_(network), settings_(settings) {
  MGDM_CHECK(settings.slots > 0);
  thread_ = std::thread([this] { work(); });
}

Queue::~Queue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::optional<Queue::Ticket> Queue::submit(Question question, Done done) {
  const std::lock_guard lock(mutex_);
  if (stop_ || waiting_.size() >= settings_.waiting) return std::nullopt;
  waiting_.push_back({next_, std::move(question), std::move(done)});
  changed_.notify_all();
  return next_++;
}

bool Queue::cancel(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto job = std::find_if(waiting_.begin(), waiting_.end(),
                                [&](const Job& each) { return each.ticket == ticket; });
  if (job != waiting_.end()) {
    waiting_.erase(job);
    return true;
  }
  for (const auto& [id, running] : running_)
    if (running.ticket == ticket) return cancelled_.insert(ticket).second;
  return false;
}

std::size_t Queue::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() + running_.size() - cancelled_.size();
}

void Queue::work() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || !waiting_.empty() || !running_.empty(); });
      if (stop_) break;
    }
    leave_cancelled();
    fill_slots();
    std::vector<Outcome> all;
    try {
      all = solver_.pass();
    } catch (...) {
      // The solver itself failed: all callers with a question in a slot get its error.
      const std::lock_guard lock(mutex_);
      for (const auto& [id, running] : running_) {
        solver_.cancel(id);
        all.push_back({.id = id, .error = std::current_exception()});
      }
    }
    for (const Outcome& outcome : all) deliver(outcome);
  }
  // No submit() succeeds any more.
  const auto error = std::make_exception_ptr(Interrupted("the queue has been closed"));
  std::vector<Done> left;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, running] : running_) {
      solver_.cancel(id);
      if (!cancelled_.contains(running.ticket)) left.push_back(std::move(running.done));
    }
    for (Job& job : waiting_) left.push_back(std::move(job.done));
    running_.clear();
    waiting_.clear();
    cancelled_.clear();
  }
  for (const Done& done : left) done({.error = error});
}

void Queue::leave_cancelled() {
  const std::lock_guard lock(mutex_);
  for (auto it = running_.begin(); it != running_.end();) {
    if (!cancelled_.contains(it->second.ticket)) {
      ++it;
      continue;
    }
    solver_.cancel(it->first);
    cancelled_.erase(it->second.ticket);
    it = running_.erase(it);
  }
}

void Queue::fill_slots() {
  std::vector<std::pair<Done, std::exception_ptr>> refused;
  {
    const std::lock_guard lock(mutex_);
    while (!waiting_.empty() && running_.size() < settings_.slots) {
      Job job = std::move(waiting_.front());
      waiting_.pop_front();
      try {
        const QuestionId id = solver_.join(std::move(job.question));
        running_.emplace(id, Running{job.ticket, std::move(job.done)});
      } catch (...) {
        refused.emplace_back(std::move(job.done), std::current_exception());
      }
    }
  }
  for (const auto& [done, error] : refused) done({.error = error});
}

void Queue::deliver(const Outcome& outcome) {
  Done done;
  {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(outcome.id);
    if (found == running_.end()) return;
    if (cancelled_.erase(found->second.ticket) == 0) done = std::move(found->second.done);
    running_.erase(found);
  }
  if (done) done(outcome);
}

}  // namespace mgdm::inference
