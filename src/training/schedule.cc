#include "training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mgdm::training {
namespace {

double shape(const OptimizerSettings& settings, double done) {
  if (settings.schedule == "cosine") return 0.5 * (1 + std::cos(std::numbers::pi * done));
  if (settings.schedule == "linear" && settings.decay_share > 0)
    return std::min(1.0, (1 - done) / settings.decay_share);
  return 1;
}

}  // namespace

double learning_rate_factor(const OptimizerSettings& settings, std::int64_t step, double done) {
  const double warmup = settings.warmup_steps > 0 ? static_cast<double>(step + 1) /
                                                        static_cast<double>(settings.warmup_steps)
                                                  : 1;
  return std::min(1.0, warmup) * shape(settings, std::clamp(done, 0.0, 1.0));
}

}  // namespace mgdm::training
