// The random numbers of decoding, from the streams of base/random.h.
//
// They are keyed by (seed, kDecode, item, k 65536 + pass), where k is the number of the try. So an
// answer does not depend on its batch or on other tries.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"

namespace mgdm::decoding {

// The step of a stream's key for pass `pass` of try `attempt`, both from 0.
constexpr std::int64_t kPassesPerTry = 65536;  // more than the settings allow
constexpr std::int64_t draw_step(std::int64_t attempt, std::int64_t pass) {
  return attempt * kPassesPerTry + pass;
}

// The draws of try `attempt` (from 0) at an item.
struct Draws {
  std::uint64_t seed = 1;
  std::uint32_t item = 0;
  std::int64_t attempt = 0;

  // Fills in the first words of a pass, uniform over [0, 1).
  void fill(std::int64_t pass, std::span<float> uniform) const;
};

// Standard Gumbel noise from a uniform draw over [0, 1). Added to log-probabilities, it makes the
// likeliest token a sample (the Gumbel-max trick).
float gumbel(float uniform);

}  // namespace mgdm::decoding
