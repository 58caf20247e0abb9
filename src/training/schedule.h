// The learning rate over a run, as a factor of its largest value.
#pragma once

#include <cstdint>

#include "training/optimizer.h"

namespace mgdm::training {

// The factor at `step` (from 0) of a run of which the fraction `done` (0 to 1) lies behind: step /
// steps, or time / time allowed.
//   cosine    (1 + cos(pi done)) / 2
//   constant  1
//   linear    1, then straight to 0 over the last `decay_share` of the run
// times min(1, (step + 1) / warmup_steps).
double learning_rate_factor(const OptimizerSettings& settings, std::int64_t step, double done);

}  // namespace mgdm::training
