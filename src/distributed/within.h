// A call that may block for ever, with a limit.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace mgdm::distributed {

// What `work` returns or throws; nothing when it takes longer. Then it goes on alone, on a thread
// that nobody waits for: it must own what it uses.
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
