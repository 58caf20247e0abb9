// Detects dead or hanging processes. Otherwise a GPU that waits for a dead peer waits for ever, and
// so does the thread that waits for that GPU.
//
// Every process increments its own counter in the store once a second and reads the counters of the
// others. A counter that does not change for kPatience reads means a lost process, and this process
// ends with a message: an exception would not reach a thread that waits for the device. The first
// process owns the store, so a read that blocks that long means that the first is lost; a second
// thread checks that. Reads are counted, not seconds, so that a group that was stopped (Ctrl-Z) and
// continued loses no process.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>

namespace mgdm::distributed {

class PeerWatch {
 public:
  static constexpr int kPatience = 15;

  // count(rank, n) adds n to the counter of that rank in the store and returns it. It throws when
  // the store, and thus the first process, is gone. It may block for ever, and must own what it
  // uses. Reads are a `beat` apart.
  PeerWatch(int rank, int size, std::function<long(int rank, int n)> count,
            std::chrono::milliseconds beat = std::chrono::seconds(1));
  ~PeerWatch();  // waits for a read in progress, but not for ever
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with a read that never ends
  std::future<void> looked_;
  std::thread looks_, guard_;
};

}  // namespace mgdm::distributed
