#pragma once

#include <cstdint>

#include "spec/training_settings.h"

namespace mgdm::training {

using spec::TrainingSettings;

// The fraction of the budget that is spent, by steps, epochs or minutes, whichever the recipe
// names. UsageError unless it names exactly one.
class Budget {
 public:
  Budget(const TrainingSettings& settings, std::int64_t dataset_size);

  // 0 at the start, 1 at the end.
  double fraction(std::int64_t steps_done, double seconds) const;
  // The number of steps, or 0 when minutes decide.
  std::int64_t steps() const { return steps_; }

 private:
  std::int64_t steps_ = 0;
  double seconds_ = 0;
};

}  // namespace mgdm::training
