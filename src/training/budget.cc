#include "training/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace mgdm::training {

Budget::Budget(const TrainingSettings& settings, std::int64_t dataset_size) {
  const int named = (settings.epochs > 0) + (settings.steps > 0) + (settings.minutes > 0);
  if (named != 1)
    throw UsageError(fmt::format("training.epochs = {}, steps = {}, minutes = {}", settings.epochs,
                                 settings.steps, settings.minutes),
                     "exactly one of the three above 0",
                     named > 1 ? "0 for the others, as training.steps=0" : "training.steps=1000");
  if (settings.epochs > 0 && dataset_size == 0)
    throw UsageError("training.epochs with data without end", "training.steps or training.minutes");
  seconds_ = 60 * settings.minutes;
  steps_ = settings.steps;
  if (settings.epochs > 0)
    steps_ =
        std::max<std::int64_t>(1, std::llround(settings.epochs * static_cast<double>(dataset_size) /
                                               static_cast<double>(settings.batch)));
}

double Budget::fraction(std::int64_t steps_done, double seconds) const {
  const double done = steps_ > 0 ? static_cast<double>(steps_done) / static_cast<double>(steps_)
                                 : seconds / seconds_;
  return std::min(1.0, done);
}

}  // namespace mgdm::training
