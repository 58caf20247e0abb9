// Notices processes that died or hang, where nothing else would: a GPU that waits for a dead peer
// waits for ever, and so does whoever waits for that GPU.
//
// Every process counts up a number of its own in the store, once a second, and looks at the
// others'. One that stands still for kPatience looks is lost, and the process ends with a message:
// an exception would not reach a thread that waits for the device. The store is the first
// process's, so a look that does not come back in that time means that the first is lost; a second
// thread sees to that. Looks are counted, not seconds: when the whole group was stopped (Ctrl-Z)
// and goes on, nobody has missed anything.
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

  // count(rank, n) adds n to the number of that rank in the store and returns it; it throws when
  // the store is gone, which means that the first process is. It may block for ever, and must own
  // what it uses. Looks are a `beat` apart.
  PeerWatch(int rank, int size, std::function<long(int rank, int n)> count,
            std::chrono::milliseconds beat = std::chrono::seconds(1));
  ~PeerWatch();  // waits for a look under way, but not for ever
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with a look that never ends
  std::future<void> looked_;
  std::thread looks_, guard_;
};

}  // namespace mgdm::distributed
