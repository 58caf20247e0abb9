// Finds the faster of two ways to compute the same, by timing.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>

namespace mgdm::ops::cuda {

class Quicker {
 public:
  using Sizes = std::array<std::int64_t, 4>;  // and whatever else the time depends on

  // Clearly less is less than this share.
  explicit Quicker(float clearly = 0.98f) : clearly_(clearly) {}

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
    return second_[kind] = second_is_quicker(run_first, run_second, stream);
  }

 private:
  static constexpr std::size_t kTurns = 5;

  // Whether work on the stream goes into a graph.
  static bool is_recording(cudaStream_t stream) {
    cudaStreamCaptureStatus status{};
    check(cudaStreamIsCapturing(stream, &status));
    return status != cudaStreamCaptureStatusNone;
  }

  static void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
  }

  // They alternate: an idle device becomes faster as it works, so the first would look slow.
  template <class First, class Second>
  bool second_is_quicker(First&& run_first, Second&& run_second, cudaStream_t stream) const {
    std::array<cudaEvent_t, 3> events{};
    for (cudaEvent_t& event : events) check(cudaEventCreate(&event));
    std::array<std::array<float, kTurns>, 2> times{};
    for (std::size_t turn = 0; turn <= kTurns; ++turn) {  // the first: what is done once only
      check(cudaEventRecord(events[0], stream));
      run_first();
      check(cudaEventRecord(events[1], stream));
      run_second();
      check(cudaEventRecord(events[2], stream));
      check(cudaEventSynchronize(events[2]));
      for (std::size_t which = 0; turn > 0 && which < 2; ++which)
        check(cudaEventElapsedTime(&times[which][turn - 1], events[which], events[which + 1]));
    }
    for (const cudaEvent_t event : events) cudaEventDestroy(event);
    for (auto& each : times) std::ranges::sort(each);
    return times[1][kTurns / 2] < clearly_ * times[0][kTurns / 2];
  }

  const float clearly_;
  std::mutex mutex_;
  std::map<std::pair<int, Sizes>, bool> second_;
};

}  // namespace mgdm::ops::cuda
