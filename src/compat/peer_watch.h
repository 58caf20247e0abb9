// Notices processes that died or hang, where nothing else would: a GPU that waits for a dead peer
// waits for ever, and so does whoever waits for that GPU.
//
// Every process counts up a number of its own in the store, once a second, and looks at the
// others'. One that stands still for kPatience looks is lost, and the process ends with a message:
// an exception would not reach a thread that waits for the device. Looks are counted, not seconds:
// when the whole group was stopped (Ctrl-Z) and goes on, nobody has missed anything.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace mgdm::compat {

class PeerWatch {
 public:
  static constexpr int kPatience = 15;

  // count(rank, n) adds n to the number of that rank in the store and returns it; it throws when
  // the store is gone, which means that the first process is. Looks are a `beat` apart.
  PeerWatch(int rank, int size, std::function<long(int rank, int n)> count,
            std::chrono::milliseconds beat = std::chrono::seconds(1));
  ~PeerWatch();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

 private:
  void watch();
  bool stopped_within(int beats);  // waits that long unless stopped

  const int rank_, size_;
  const std::function<long(int, int)> count_;
  const std::chrono::milliseconds beat_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;  // guarded by mutex_
  std::jthread thread_;   // last, so that it ends before the rest goes
};

}  // namespace mgdm::compat
