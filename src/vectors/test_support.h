// Kernels are tested on every instruction set that this processor has, against plain loops.
#pragma once

#include <gtest/gtest.h>

#include "vectors/targets.h"
// After it: these are the targets as our files see them.
#include <hwy/targets.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace mgdm::vectors {

using Floats = std::vector<float>;

// Runs `test` once for every instruction set.
template <class Test>
void on_every_target(const Test& test) {
  // On arm64 Highway 1.0 counts NEON only where there is AES, too, and uses it all the same.
  if (hwy::SupportedAndGeneratedTargets().empty()) return test();
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    test();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Uniform with mean 0 and the given standard deviation.
inline Floats random_numbers(std::size_t count, std::uint32_t item, float deviation) {
  Stream random(1, Purpose::kTest, item);
  Floats numbers(count);
  for (float& number : numbers) number = deviation * std::sqrt(12.0f) * (random.uniform() - 0.5f);
  return numbers;
}

}  // namespace mgdm::vectors
