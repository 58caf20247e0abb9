// Work done by several threads, results taken in order.
//
//   OrderedWork<Batch> batches(count, threads, [&](std::size_t i) { return make_batch(i); });
//   Batch first = batches.next(), second = batches.next();
//
//   for_chunks<std::string>(count, 1024, threads,
//       [&](std::size_t begin, std::size_t end) { return text_of(begin, end); },  // any thread
//       [&](std::string&& text) { file.write(text); });                           // this thread
//
// Results do not depend on the number of threads: each is a function of i, and they come in order.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/cores.h"
#include "base/error.h"

namespace mgdm {

// Runs work(0), work(1), ... at the same time, in `wanted` threads or as many as the system starts.
inline std::vector<std::jthread> start_threads(std::size_t wanted,
                                               const std::function<void(std::size_t)>& work) {
  std::vector<std::jthread> threads;
  threads.reserve(wanted);
  try {
    while (threads.size() < wanted) threads.emplace_back(work, threads.size());
  } catch (const std::system_error&) {  // a limit of memory or processes is reached
  }
  return threads;
}

// Computes produce(0), produce(1), ... in background threads, at most two per thread ahead of the
// one taken last, so memory stays bounded. An exception of produce is thrown by next().
template <class Result>
class OrderedWork {
 public:
  OrderedWork(std::size_t count, int threads, std::function<Result(std::size_t)> produce)
      : count_(count), produce_(std::move(produce)) {
    const auto wanted = static_cast<std::size_t>(thread_count(threads));
    ahead_ = 2 * wanted;
    pool_ = start_threads(std::min(wanted, count), [this](std::size_t) { work(); });
    if (pool_.empty() && count > 0)
      throw Error("no thread can be started", "a higher limit of memory or processes (ulimit)");
  }

  ~OrderedWork() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }  // pool_ is declared last, so its threads are joined before the rest goes

  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;

  // The next result; at most `count` calls.
  Result next() {
    std::unique_lock lock(mutex_);
    MGDM_CHECK(taken_ < count_);
    changed_.wait(lock, [this] { return failure_ || ready_.contains(taken_); });
    if (failure_) std::rethrow_exception(failure_);
    auto node = ready_.extract(taken_++);
    changed_.notify_all();
    return std::move(node.mapped());
  }

 private:
  void work() {
    while (true) {
      std::size_t mine = 0;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] {
          return stopped_ || failure_ || started_ == count_ || started_ < taken_ + ahead_;
        });
        if (stopped_ || failure_ || started_ == count_) return;
        mine = started_++;
      }
      try {
        Result result = produce_(mine);
        const std::lock_guard lock(mutex_);
        ready_.emplace(mine, std::move(result));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
      changed_.notify_all();
    }
  }

  const std::size_t count_;
  const std::function<Result(std::size_t)> produce_;
  std::size_t ahead_ = 0;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::size_t started_ = 0, taken_ = 0;
  std::map<std::size_t, Result> ready_;
  std::exception_ptr failure_;
  bool stopped_ = false;
  std::vector<std::jthread> pool_;
};

// produce(begin, end) over chunks of 0..count-1, consume(result) in order.
template <class Result, class Produce, class Consume>
void for_chunks(std::size_t count, std::size_t chunk, int threads, Produce&& produce,
                Consume&& consume) {
  const std::size_t chunks = (count + chunk - 1) / chunk;
  OrderedWork<Result> work(chunks, threads, [&](std::size_t i) {
    return produce(i * chunk, std::min(count, (i + 1) * chunk));
  });
  for (std::size_t i = 0; i < chunks; ++i) consume(work.next());
}

}  // namespace mgdm
