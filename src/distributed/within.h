// A time limit for a call that may block for ever.
#pragma once

#include <chrono>
#include <future>
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

}  // namespace mgdm::distributed
