#include "tasks/released.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"

namespace mgdm::tasks {

void for_released(Released& released, std::size_t count,
                  const std::function<void(const Example&)>& use,
                  const std::function<void()>& made) {
  if (count > released.size())
    throw UsageError(fmt::format("{} examples as released", count),
                     fmt::format("at most {}: the file has no more", released.size()));
  for (std::size_t i = 0; i < released.passed_over() + count; ++i) {
    stop_if_interrupted();
    const Example example = released.next();
    if (i >= released.passed_over()) use(example);
    if (made) made();
  }
}

std::vector<Example> released_test(const Task& task, std::size_t count) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<Example>> made;  // by task
  const std::lock_guard lock(mutex);
  std::vector<Example>& known = made[task.name()];
  const auto released = task.abilities().released->released(Split::kTest);
  count = std::min(count, released->size());
  if (known.size() < count) {
    std::vector<Example> puzzles;
    for_released(*released, count, [&](const Example& puzzle) { puzzles.push_back(puzzle); });
    known = std::move(puzzles);
  }
  return {known.begin(), known.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace mgdm::tasks
