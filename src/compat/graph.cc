#include "compat/graph.h"

#ifdef MGDM_CUDA
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <array>
#include <exception>
#endif

namespace mgdm::compat {

#ifdef MGDM_CUDA

struct StepGraph::State {
  static constexpr int kWarmUps = 4;
  // How many replays may wait for the device. Where other processes hold the GPU too, a host that
  // queued them without end died of a null pointer in the driver's cuGraphLaunch; four keep the
  // device busy.
  static constexpr int kAhead = 4;

  // The memory pool of a graph's tensors. LibTorch versions differ in the namespace of its type.
  using Memory = decltype(at::cuda::graph_pool_handle());

  explicit State(c10::DeviceIndex device)
      : stream(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device)) {}

  void record(const std::function<void()>& body) {
    const Memory memory = at::cuda::graph_pool_handle();
    graph = std::make_unique<at::cuda::CUDAGraph>();
    bool done = false;
    try {
      graph->capture_begin(memory);
      body();
      done = true;
      graph->capture_end();
    } catch (...) {
      end_recording(memory, done);
      throw;
    }
  }

  // After a failure (no memory) neither the stream may be left recording nor the allocator:
  // whatever is done on the device after that, such as saving or another recording, would fail,
  // too.
  void end_recording(Memory memory, bool ended) {
    const auto holds = [](auto&& action) {
      try {
        action();
        return true;
      } catch (const std::exception&) {
        return false;
      }
    };
    using namespace c10::cuda::CUDACachingAllocator;
    if (!ended) holds([&] { graph->capture_end(); });
    // An exception says that it did so already, as it does for what can be replayed.
    if (!holds([&] { endAllocateToPool(stream.device_index(), memory); })) return graph.reset();
    holds([&] { releasePool(stream.device_index(), memory); });
    // LibTorch may go on asking it which memory is its own, so a void recording is never destroyed.
    static_cast<void>(graph.release());
  }

  // On this stream, which is the current one.
  void run(const std::function<void()>& body) {
    if (runs < kWarmUps) {
      body();
    } else {
      if (runs == kWarmUps) {
        c10::cuda::device_synchronize();
        // The graph has memory of its own and cannot take what the first runs left cached.
        c10::cuda::CUDACachingAllocator::emptyCache();
        record(body);
      }
      at::cuda::CUDAEvent& end = ends[static_cast<size_t>(runs % kAhead)];
      end.synchronize();  // returns at once where it was never recorded
      graph->replay();
      end.record(stream);
    }
    ++runs;
  }

  // Capture is not allowed on the default stream, so every run is on a stream of our own.
  c10::cuda::CUDAStream stream;
  std::unique_ptr<at::cuda::CUDAGraph> graph;
  std::array<at::cuda::CUDAEvent, kAhead> ends;  // of the last replays, in turn
  int64_t runs = 0;
};

StepGraph::StepGraph(c10::Device device, bool enabled) {
  if (enabled && device.is_cuda()) state_ = std::make_unique<State>(device.index());
}

void StepGraph::run(const std::function<void()>& body) {
  if (!state_) {
    body();
    return;
  }
  // A thread that did not choose a device is on the first one.
  const c10::cuda::CUDAGuard on_device(state_->stream.device_index());
  // The caller has queued copies into the body's inputs on its own stream, and reads results there.
  c10::cuda::CUDAStream outer = c10::cuda::getCurrentCUDAStream();
  const auto order = [](c10::cuda::CUDAStream first, c10::cuda::CUDAStream second) {
    at::cuda::CUDAEvent event;
    event.record(first);
    event.block(second);
  };
  order(outer, state_->stream);
  std::exception_ptr failure;
  try {
    const c10::cuda::CUDAStreamGuard guard(state_->stream);
    state_->run(body);
  } catch (...) {  // what was queued before it may still read the caller's tensors
    failure = std::current_exception();
  }
  try {
    order(state_->stream, outer);
  } catch (...) {
    if (!failure) throw;
  }
  if (failure) std::rethrow_exception(failure);
}

#else

struct StepGraph::State {};
StepGraph::StepGraph(c10::Device, bool) {}
void StepGraph::run(const std::function<void()>& body) { body(); }

#endif

StepGraph::~StepGraph() = default;

}  // namespace mgdm::compat
