// The parameters of a decoding pass, explained in decoding/diffusion.h and decoding/orders.h.
#pragma once

#include <cstdint>

namespace mgdm::ops {

struct DecodingRule {
  enum class Order { kTopk, kMargin, kRandom, kThreshold, kEntropy };

  Order order = Order::kTopk;
  std::int64_t steps = 1;    // T
  bool revise = false;       // shown tokens take the new prediction
  bool masks_again = false;  // shown tokens may be masked again
  bool early_stop = false;
  double noise = 0, temperature = 0, threshold = 0, entropy_bound = 0;
  std::uint64_t seed = 0;
  std::int64_t mask_token = 0;
  std::int64_t never[3] = {};  // tokens that are no answer
};

}  // namespace mgdm::ops
