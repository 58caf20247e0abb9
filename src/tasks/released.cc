#include "tasks/released.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/interrupt.h"

namespace mgdm::tasks {

void for_released(Released& released, std::size_t count,
                  const std::function<void(const Example&)>& use,
                  const std::function<void()>& made) {
  if (count > released.size().value_or(count))
    throw UsageError(fmt::format("{} examples as released", count),
                     fmt::format("at most {}: the file has no more", *released.size()));
  for (std::size_t i = 0; i < released.passed_over() + count; ++i) {
    stop_if_interrupted();
    const Example example = released.next();
    if (i >= released.passed_over()) use(example);
    if (made) made();
  }
}

}  // namespace mgdm::tasks
