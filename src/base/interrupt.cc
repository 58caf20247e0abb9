#include "base/interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "base/error.h"

namespace mgdm {
namespace {

// A handler may use only these: atomics without locks, and calls that are safe in one.
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
std::atomic<std::int64_t> g_first_ms = 0;  // when the first request came; 0: none yet
std::atomic<int> g_signal = 0;
std::atomic<bool> g_again = false, g_second_ends = true;
// A byte in this pipe is for those who wait in poll(): a flag alone could be set just before they
// begin to.
std::atomic<int> g_wake_read = -1, g_wake_write = -1;

std::int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000 + 1;  // never 0
}

void on_signal(int signal) {
  constexpr std::int64_t kSameRequestMs = 1000;
  const int kept = errno;
  const std::int64_t now = now_ms();
  std::int64_t first = 0;
  int none = 0;
  g_signal.compare_exchange_strong(none, signal);  // before the flag, so that who sees it sees both
  if (g_first_ms.compare_exchange_strong(first, now)) {
    if (const int pipe = g_wake_write; pipe >= 0 && ::write(pipe, "", 1) < 0) errno = 0;  // full
  } else if (now - first >= kSameRequestMs) {
    g_again = true;
    if (g_second_ends) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);  // takes effect when this handler returns
    }
  }
  errno = kept;
}

}  // namespace

void catch_interrupts(SecondInterrupt second) {
  g_second_ends = second == SecondInterrupt::kEnds;
  if (int ends[2]; g_wake_read < 0 && ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
    g_wake_read = ends[0];
    g_wake_write = ends[1];
  }
  struct sigaction action = {}, old = {};
  action.sa_handler = on_signal;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (signal == SIGHUP && ::sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_IGN)
      continue;
    ::sigaction(signal, &action, nullptr);
  }
}

bool interrupted() { return g_first_ms != 0; }

bool interrupted_again() { return g_again; }

int interrupt_signal() { return g_signal; }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted("interrupted");
}

void wait_to_read(int descriptor) {
  pollfd both[] = {{descriptor, POLLIN, 0}, {g_wake_read, POLLIN, 0}};  // poll passes over -1
  while (true) {
    stop_if_interrupted();
    // What poll cannot tell about, the read that follows will.
    if (::poll(both, 2, -1) < 0 ? errno != EINTR : both[0].revents != 0) return;
  }
}

}  // namespace mgdm
