#include "prompting/pace.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/interrupt.h"

namespace mgdm::prompting {

Clock real_clock() {
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  const auto sleep = [now](double seconds) {
    constexpr double kSlice = 0.05;
    for (const double end = now() + seconds; now() < end;) {
      stop_if_interrupted();
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(kSlice, end - now())));
    }
    stop_if_interrupted();
  };
  return {now, sleep};
}

Pace::Pace(double per_minute, Clock clock)
    : gap_(per_minute > 0 ? 60 / per_minute : 0), clock_(std::move(clock)) {}

void Pace::wait_for_turn() {
  double wait = 0;
  {
    const std::lock_guard lock(mutex_);
    const double now = clock_.now(), turn = std::max(now, next_);
    next_ = turn + gap_;
    wait = turn - now;
  }
  if (wait > 0) clock_.sleep(wait);
}

}  // namespace mgdm::prompting
