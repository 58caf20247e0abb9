// Which of two ways to compute the same is the quicker one, found out by trying.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>

#include "ops/cuda/products.h"

namespace mgdm::ops::cuda {

class Quicker {
 public:
  using Sizes = std::array<std::int64_t, 3>;

  // Whether second() clearly takes less time than first(), for work of these sizes on the current
  // device; both queue work on the stream. It is tried once. Where it may not be, because a graph
  // is recorded or two runs shall compute alike, it is first().
  template <class First, class Second>
  bool second(const Sizes& sizes, bool may_try, cudaStream_t stream, First&& run_first,
              Second&& run_second) {
    int device = 0;
    check(cudaGetDevice(&device));
    const std::lock_guard lock(mutex_);
    const std::pair kind{device, sizes};
    if (const auto known = second_.find(kind); known != second_.end()) return known->second;
    if (!may_try || is_recording(stream)) return false;
    const float first = time_of(run_first, stream);
    return second_[kind] = time_of(run_second, stream) < kClearly * first;
  }

 private:
  static constexpr int kTurns = 5;
  static constexpr float kClearly = 0.98f;

  static void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
  }

  template <class Run>
  static float time_of(Run&& run, cudaStream_t stream) {
    run();  // what is done once only
    std::array<cudaEvent_t, 2> events{};
    for (cudaEvent_t& event : events) check(cudaEventCreate(&event));
    std::array<float, kTurns> times{};
    for (float& time : times) {
      check(cudaEventRecord(events[0], stream));
      run();
      check(cudaEventRecord(events[1], stream));
      check(cudaEventSynchronize(events[1]));
      check(cudaEventElapsedTime(&time, events[0], events[1]));
    }
    for (const cudaEvent_t event : events) cudaEventDestroy(event);
    std::ranges::sort(times);
    return times[kTurns / 2];
  }

  std::mutex mutex_;
  std::map<std::pair<int, Sizes>, bool> second_;
};

}  // namespace mgdm::ops::cuda
