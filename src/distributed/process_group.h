// Several processes that train one model together, through LibTorch's c10d: Gloo between CPUs, NCCL
// between GPUs.
//
// They find each other by the variables that torchrun and `mgdm launch` set: RANK, WORLD_SIZE,
// MASTER_ADDR, MASTER_PORT (and LOCAL_RANK, see compat/device.h); slurm.h sets them under Slurm.
// Without WORLD_SIZE, or where it is 1 and there is no GPU or no MASTER_PORT, there is one process,
// every call below does nothing, and c10d is not touched.
//
//   ProcessGroup group(device);
//   group.all_reduce(gradients);   // in place, on every process
//   if (group.first()) write(...);
//   group.finish();
//
// All processes must make the same calls in the same order. When one of them dies, the others get
// an Error, or, where a GPU waits for it and nothing can be thrown, end with a message within 30 s.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace mgdm::distributed {

// The result or exception of `work`; nothing if it takes longer. It then continues on a detached
// thread, so it must own what it uses.
template <class Work>
std::optional<std::invoke_result_t<Work>> within(std::chrono::milliseconds limit, Work work) {
  std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
  auto result = task.get_future();
  std::thread thread(std::move(task));
  if (result.wait_for(limit) != std::future_status::ready) {
    thread.detach();
    return std::nullopt;
  }
  thread.join();
  return result.get();
}

class ProcessGroup {
 public:
  // Waits for the others, a minute or MGDM_RENDEZVOUS_SECONDS. Error for a missing or wrong
  // variable, missing processes, or two processes on one GPU. The tensors below must be on this
  // device.
  explicit ProcessGroup(c10::Device device);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool first() const { return rank_ == 0; }
  bool alone() const { return !state_; }  // nothing to do

  // Sum over all processes, in place. On CUDA it is queued like any other operation.
  void all_reduce(at::Tensor tensor);
  // Copies the first process's numbers to all processes, in place.
  void broadcast(at::Tensor tensor);

  // The last call of every process, which waits for the others. A process that ends without it has
  // failed, and the others notice.
  void finish();

 private:
  struct State;
  c10::Device device_;
  int rank_ = 0, size_ = 1;
  std::unique_ptr<State> state_;  // null for a process alone
};

}  // namespace mgdm::distributed
