#include "data/augmentation.h"

#include "base/error.h"
#include "base/random.h"
#include "tasks/all_tasks.h"

namespace mgdm::data {

using tasks::Example;

Augment symmetries(const std::shared_ptr<const tasks::Task>& task, std::uint64_t seed,
                   bool reversed) {
  const tasks::Symmetries* const symmetries = task->abilities().symmetries;
  if (symmetries == nullptr)
    throw UsageError(task->name() + " has no symmetries to augment by",
                     tasks::tasks_with(&tasks::Abilities::symmetries), "data.augment=false");
  return [task, symmetries, seed, reversed](const Example& example, std::uint32_t item,
                                            std::uint32_t epoch) {
    Stream random(seed, Purpose::kAugment, item, epoch);
    if (!reversed) return symmetries->augment(example, random);
    Example copy =
        symmetries->augment({example.input, reversed_output(*task, example.output)}, random);
    copy.output = reversed_output(*task, copy.output);
    return copy;
  };
}

}  // namespace mgdm::data
