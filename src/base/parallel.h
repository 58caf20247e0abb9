// Work on chunks of 0..count-1 by several threads, results consumed in order.
//
//   ordered_chunks<std::string>(count, 1024, threads,
//       [&](std::size_t begin, std::size_t end) { return text_of(begin, end); },   // any thread
//       [&](std::string&& text) { file.write(text); });                            // this thread
//
// The result cannot depend on the number of threads: chunks are the same and arrive in order. At
// most two chunks per thread wait to be consumed, so memory stays bounded. The first exception, of
// either function, stops the work and is thrown here.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace mgdm {

// `requested`, or the machine's core count when that is 0.
inline int thread_count(int requested) {
  if (requested > 0) return requested;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

template <class Result, class Produce, class Consume>
void ordered_chunks(std::size_t count, std::size_t chunk, int threads, Produce&& produce,
                    Consume&& consume) {
  const std::size_t chunks = (count + chunk - 1) / chunk;
  const auto produce_chunk = [&](std::size_t i) {
    return produce(i * chunk, std::min(count, (i + 1) * chunk));
  };
  const auto workers =
      std::min<std::size_t>(static_cast<std::size_t>(thread_count(threads)), chunks);
  if (workers <= 1) {
    for (std::size_t i = 0; i < chunks; ++i) consume(produce_chunk(i));
    return;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::size_t, Result> ready;
  std::exception_ptr failure;
  std::size_t next = 0, consumed = 0;

  const auto fail = [&] {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
    changed.notify_all();
  };
  const auto work = [&] {
    while (true) {
      std::size_t mine;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock,
                     [&] { return failure || next >= chunks || next < consumed + 2 * workers; });
        if (failure || next >= chunks) return;
        mine = next++;
      }
      try {
        Result result = produce_chunk(mine);
        const std::lock_guard lock(mutex);
        ready.emplace(mine, std::move(result));
        changed.notify_all();
      } catch (...) {
        fail();
        return;
      }
    }
  };

  std::vector<std::jthread> pool;
  for (std::size_t i = 0; i < workers; ++i) pool.emplace_back(work);
  for (std::size_t i = 0; i < chunks; ++i) {
    typename std::map<std::size_t, Result>::node_type node;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return failure || ready.contains(i); });
      if (failure) break;
      node = ready.extract(i);
      consumed = i + 1;
      changed.notify_all();
    }
    try {
      consume(std::move(node.mapped()));
    } catch (...) {
      fail();
    }
  }
  pool.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

}  // namespace mgdm
