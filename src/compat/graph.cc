#include "compat/graph.h"

#ifdef MGDM_CUDA
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <array>
#include <optional>
#endif

namespace mgdm::compat {

#ifdef MGDM_CUDA

struct StepGraph::State {
  static constexpr int kWarmUps = 4;
  // How many replays may wait for the device. Where other processes hold the GPU too, a host that
  // queued them without end died of a null pointer in the driver's cuGraphLaunch; four keep the
  // device busy.
  static constexpr int kAhead = 4;

  explicit State(c10::DeviceIndex device)
      : stream(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device)) {}

  // Where the body fails (no memory) the stream must not be left recording: whatever is done on the
  // device after that, such as saving, would fail, too.
  void record(const std::function<void()>& body) {
    graph.emplace();
    graph->capture_begin();
    try {
      body();
    } catch (...) {
      try {
        graph->capture_end();
      } catch (const std::exception&) {  // of a recording that is void, which is why we are here
      }
      graph.reset();
      throw;
    }
    graph->capture_end();
  }

  // Capture is not allowed on the default stream, so every run is on a stream of our own.
  c10::cuda::CUDAStream stream;
  std::optional<at::cuda::CUDAGraph> graph;
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
  {
    const c10::cuda::CUDAStreamGuard guard(state_->stream);
    if (state_->runs < State::kWarmUps) {
      body();
    } else {
      if (state_->runs == State::kWarmUps) {
        c10::cuda::device_synchronize();
        // The graph has memory of its own and cannot take what the first runs left cached.
        c10::cuda::CUDACachingAllocator::emptyCache();
        state_->record(body);
      }
      at::cuda::CUDAEvent& end = state_->ends[static_cast<size_t>(state_->runs % State::kAhead)];
      end.synchronize();  // returns at once where it was never recorded
      state_->graph->replay();
      end.record(state_->stream);
    }
    ++state_->runs;
  }
  order(state_->stream, outer);
}

#else

struct StepGraph::State {};
StepGraph::StepGraph(c10::Device, bool) {}
void StepGraph::run(const std::function<void()>& body) { body(); }

#endif

StepGraph::~StepGraph() = default;

}  // namespace mgdm::compat
