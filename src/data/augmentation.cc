#include "data/augmentation.h"

#include "base/random.h"

namespace mgdm::data {

using tasks::Example;

Augment symmetries(const std::shared_ptr<const tasks::Task>& task, std::uint64_t seed,
                   bool reversed) {
  Stream probe(seed, Purpose::kAugment, 0);
  task->augment(task->generate(seed, tasks::Split::kTrain, 0), probe);  // refuses now if it must
  return [task, seed, reversed](const Example& example, std::uint32_t item, std::uint32_t epoch) {
    Stream random(seed, Purpose::kAugment, item, epoch);
    if (!reversed) return task->augment(example, random);
    Example twin = task->augment({example.input, task->reversed_output(example.output)}, random);
    twin.output = task->reversed_output(twin.output);
    return twin;
  };
}

}  // namespace mgdm::data
