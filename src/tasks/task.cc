#include "tasks/task.h"

#include <fmt/format.h>

#include "base/error.h"
#include "tasks/released.h"

namespace mgdm::tasks {

std::unique_ptr<Released> Task::released(Split) const {
  throw UsageError(
      fmt::format("the released data of {} cannot be made again", name()),
      "planning with 6 nodes; countdown-3, -4 or -5 with numbers up to 99 and labels=first");
}

Example Task::augment(const Example&, Stream&) const {
  throw UsageError(name() + " has no symmetries to augment by", "planning, sudoku or sat-N");
}

View Task::view(std::string_view, Stream&) const {
  throw UsageError(name() + " has no symmetries to decode by",
                   "planning, countdown-K, sudoku or sat-N");
}

std::string Task::reversed_output(std::string_view) const {
  throw UsageError(name() + " has no reverse order", "planning");
}

Stream item_stream(std::uint64_t seed, Split split, std::uint32_t item) {
  return {seed, Purpose::kGenerate, item, split == Split::kTest ? 1u : 0u};
}

bool in_test_split(std::string_view canonical_form) {
  return stable_hash(canonical_form) % 10 == 0;
}

}  // namespace mgdm::tasks
