// Waiting that Ctrl-C interrupts and tests can skip.
#pragma once

#include <functional>
#include <mutex>

namespace mgdm::prompting {

struct Clock {
  std::function<double()> now;                // seconds, never going back
  std::function<void(double seconds)> sleep;  // Interrupted when Ctrl-C comes first
};

Clock real_clock();

// At most so many requests per minute, evenly spaced; 0 means no limit.
class Pace {
 public:
  Pace(double per_minute, Clock clock);

  // Returns when it is this caller's turn. Thread-safe.
  void wait_for_turn();

 private:
  const double gap_;
  const Clock clock_;
  std::mutex mutex_;  // guards next_
  double next_ = 0;
};

}  // namespace mgdm::prompting
