// Dropout of rows of numbers. The mask is not stored: backward draws it again from the same Philox
// counters. Seven rounds are enough for Philox to pass BigCrush (Salmon et al., SC 2011).
#pragma once

#include <cstdint>

#include "base/philox.h"
#include "ops/cuda/launchers.h"

namespace mgdm::ops::cuda {

struct Dropout {
  float share;
  RandomState state;

  // 1 / (1 - share) where the element is kept, 0 where it is dropped, for the four of `quad`.
  __device__ float4 factors(std::int64_t quad) const {
    const std::uint64_t seed = state.seed_at ? *state.seed_at : state.seed;
    const std::uint64_t offset = (state.offset_at ? *state.offset_at : 0) + state.offset;
    const PhiloxWords words =
        philox<7>({{static_cast<std::uint32_t>(quad), static_cast<std::uint32_t>(quad >> 32),
                    static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset >> 32)}},
                  static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    const float scale = 1.0f / (1.0f - share);
    const auto factor = [&](unsigned i) { return philox_uniform(words[i]) < share ? 0.0f : scale; };
    return {factor(0), factor(1), factor(2), factor(3)};
  }
};

}  // namespace mgdm::ops::cuda
