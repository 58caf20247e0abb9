#include "decoding/draws.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace mgdm::decoding {

void Draws::fill(std::int64_t pass, std::span<float> uniform) const {
  MGDM_CHECK(pass < kPassesPerTry && attempt < kPassesPerTry);  // the step has 32 bits
  Stream random(seed, Purpose::kDecode, item, static_cast<std::uint32_t>(draw_step(attempt, pass)));
  for (float& draw : uniform) draw = random.uniform();
}

float gumbel(float uniform) {
  return -std::log(-std::log(std::max(uniform, 0x1p-25f)));  // half the smallest draw stands for 0
}

}  // namespace mgdm::decoding
