#include "data/augmentation.h"

#include "base/error.h"
#include "base/random.h"

namespace mgdm::data {

using tasks::Example;

Augment symmetries(const std::shared_ptr<const tasks::Task>& task, std::uint64_t seed,
                   bool reversed) {
  if (!task->abilities().symmetries)
    throw UsageError(task->name() + " has no symmetries to augment by", "planning, sudoku or sat-N",
                     "data.augment=false");
  return [task, seed, reversed](const Example& example, std::uint32_t item, std::uint32_t epoch) {
    Stream random(seed, Purpose::kAugment, item, epoch);
    if (!reversed) return task->augment(example, random);
    Example copy = task->augment({example.input, task->reversed_output(example.output)}, random);
    copy.output = task->reversed_output(copy.output);
    return copy;
  };
}

}  // namespace mgdm::data
