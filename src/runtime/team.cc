#include "runtime/team.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"

namespace mgdm::runtime {
namespace {

constexpr std::chrono::microseconds kPatience{50};

// Tells the processor that we only wait.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

}  // namespace

void Team::Signal::next() {
  value_.fetch_add(1, std::memory_order_release);
  value_.notify_all();
}

void Team::Signal::wait_past(std::uint32_t seen) const {
  constexpr int kLooksBetweenClocks = 16;
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < kLooksBetweenClocks; ++i) {
      if (value() != seen) return;
      relax();
    }
  } while (std::chrono::steady_clock::now() - begin < kPatience);
  value_.wait(seen, std::memory_order_acquire);
}

Team::Team(int members) : home_(::getpid()) {
  MGDM_CHECK(members >= 1);
  others_ = start_threads(static_cast<std::size_t>(members - 1),
                          [this](std::size_t i) { serve(static_cast<int>(i) + 1); });
}

Team::~Team() {
  if (at_home()) {
    work_ = nullptr;
    start_.next();
  } else {  // handles of threads that are not here can be neither joined nor detached: left alone
    static_cast<void>(new std::vector<std::jthread>(std::move(others_)));
  }
}

bool Team::at_home() const { return ::getpid() == home_; }

void Team::serve(int member) {
  for (std::uint32_t seen = 0;; ++seen) {
    start_.wait_past(seen);
    if (work_ == nullptr) return;
    if (member < taking_part_) (*work_)(member);
    if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) end_.next();
  }
}

void Team::run(int taking_part, const std::function<void(int)>& work) {
  MGDM_CHECK(taking_part >= 1 && taking_part <= members());
  taking_part_ = taking_part;
  if (taking_part == 1) return work(0);
  work_ = &work;
  missing_.store(taking_part, std::memory_order_relaxed);
  working_.store(members() - 1, std::memory_order_relaxed);
  const std::uint32_t seen = end_.value();
  start_.next();
  work(0);
  end_.wait_past(seen);
}

void Team::meet() {
  if (taking_part_ == 1) return;
  const std::uint32_t seen = met_.value();
  if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    missing_.store(taking_part_, std::memory_order_relaxed);  // before anybody can come again
    met_.next();
  } else {
    met_.wait_past(seen);
  }
}

}  // namespace mgdm::runtime
