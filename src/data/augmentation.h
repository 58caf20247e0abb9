// Augmentation by a task's symmetries: see tasks/task.h augment().
#pragma once

#include <cstdint>
#include <memory>

#include "data/mixture.h"
#include "tasks/task.h"

namespace mgdm::data {

// The copy of an item in an epoch is a function of (seed, item, epoch). `reversed` data hold their
// outputs backwards. UsageError when the task has no symmetries.
Augment symmetries(const std::shared_ptr<const tasks::Task>& task, std::uint64_t seed,
                   bool reversed = false);

}  // namespace mgdm::data
