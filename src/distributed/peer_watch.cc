#include "distributed/peer_watch.h"

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "base/standard_streams.h"

namespace mgdm::distributed {

using namespace std::chrono_literals;

struct PeerWatch::State {
  const int rank, size;
  const std::function<long(int, int)> count;
  const std::chrono::milliseconds beat;
  std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false;  // these three are guarded by the mutex
  long looks = 0;
  int lost = -1;

  // Waits that long unless stopped.
  bool stopped_within(int beats) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, beats * beat, [this] { return stopped; });
  }

  void look() {
    std::vector<long> seen(static_cast<std::size_t>(size), -1);
    std::vector<int> still(static_cast<std::size_t>(size), 0);
    const auto lost_peer = [&] {
      try {
        count(rank, 1);
        for (int peer = 0; peer < size; ++peer) {
          const auto i = static_cast<std::size_t>(peer);
          const long now = peer == rank ? seen[i] + 1 : count(peer, 0);
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
      const int peer = lost_peer();
      const std::lock_guard lock(mutex);
      ++looks;
      lost = peer;
      if (lost >= 0) return;
    }
  }

  void guard() {
    long seen = -1;
    int still = 0;
    while (!stopped_within(1)) {
      int peer = -1;
      {
        const std::lock_guard lock(mutex);
        still = looks == seen ? still + 1 : 0;
        seen = looks;
        peer = lost >= 0 ? lost : still < kPatience ? -1 : 0;
      }
      if (peer < 0) continue;
      // A rank that talks to the lost one has usually noticed already, and is ending.
      if (stopped_within(5)) return;
      say_to(stderr,
             "mgdm: rank {} lost rank {}: it died or hangs\n  try: look at what it printed "
             "last; --resume continues from the last checkpoint\n",
             rank, peer);
      std::_Exit(1);
    }
  }
};

PeerWatch::PeerWatch(int rank, int size, std::function<long(int, int)> count,
                     std::chrono::milliseconds beat)
    : state_(new State{rank, size, std::move(count), beat, {}, {}}) {
  std::packaged_task<void()> looks([state = state_] { state->look(); });
  looked_ = looks.get_future();
  looks_ = std::thread(std::move(looks));
  guard_ = std::thread([state = state_] { state->guard(); });
}

PeerWatch::~PeerWatch() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopped = true;
    state_->changed.notify_all();
  }
  guard_.join();
  if (looked_.wait_for(2s) == std::future_status::ready)
    looks_.join();
  else
    looks_.detach();
}

}  // namespace mgdm::distributed
