// A fixed step, recorded once as a CUDA graph and then replayed without launch costs.
//
//   StepGraph step(device, enabled);
//   step.run([&] { ... reads and writes tensors whose storage never moves ... });
//
// The body runs directly on the CPU and, on CUDA, the first few times (libraries warm up, buffers
// are allocated). Then it is recorded and only replayed: numbers that change between steps must be
// in tensors, and the body must not wait for the device.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

namespace mgdm::compat {

class StepGraph {
 public:
  StepGraph(c10::Device device, bool enabled);
  ~StepGraph();
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  void run(const std::function<void()>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;  // null where the body always runs as it is
};

}  // namespace mgdm::compat
