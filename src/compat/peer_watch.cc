#include "compat/peer_watch.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace mgdm::compat {

PeerWatch::PeerWatch(int rank, int size, std::function<long(int, int)> count,
                     std::chrono::milliseconds beat)
    : rank_(rank), size_(size), count_(std::move(count)), beat_(beat), thread_([this] {
        watch();
      }) {}

PeerWatch::~PeerWatch() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool PeerWatch::stopped_within(int beats) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, beats * beat_, [this] { return stopped_; });
}

void PeerWatch::watch() {
  std::vector<long> seen(static_cast<std::size_t>(size_), -1);
  std::vector<int> still(static_cast<std::size_t>(size_), 0);
  const auto lost_peer = [&] {
    try {
      count_(rank_, 1);
      for (int peer = 0; peer < size_; ++peer) {
        const auto i = static_cast<std::size_t>(peer);
        const long now = peer == rank_ ? seen[i] + 1 : count_(peer, 0);
        still[i] = now == seen[i] ? still[i] + 1 : 0;
        seen[i] = now;
        if (still[i] == kPatience) return peer;
      }
      return -1;
    } catch (const std::exception&) {
      return 0;
    }
  };
  while (!stopped_within(1)) {
    const int lost = lost_peer();
    if (lost < 0) continue;
    // Whoever talks to the lost one has most often noticed already, and is on its way out.
    if (stopped_within(5)) return;
    fmt::print(stderr,
               "mgdm: rank {} lost rank {}: it died or hangs\n"
               "  try: look at what it printed last; --resume continues from the last checkpoint\n",
               rank_, lost);
    std::fflush(stderr);
    std::_Exit(1);
  }
}

}  // namespace mgdm::compat
