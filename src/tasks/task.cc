#include "tasks/task.h"

namespace mgdm::tasks {

Stream item_stream(std::uint64_t seed, Split split, std::uint32_t item) {
  return {seed, Purpose::kGenerate, item, split == Split::kTest ? 1u : 0u};
}

bool in_test_split(std::string_view canonical_form) {
  return stable_hash(canonical_form) % 10 == 0;
}

}  // namespace mgdm::tasks
