// The choice of numbers that dropout keeps: a function of a key and the number's index, so that
// threads can share the work and the backward pass can repeat the draws of the forward pass.
#pragma once

#include <cstdint>

namespace mgdm::ops::cpu {

struct Keep {
  Keep(double dropout, std::uint64_t key)
      : low(static_cast<std::uint32_t>(key)),
        high(static_cast<std::uint32_t>(key >> 32)),
        limit(static_cast<std::uint32_t>(dropout * 0x1p32)),
        scale(static_cast<float>(1 / (1 - dropout))) {}

  std::uint32_t low, high;  // of the key
  std::uint32_t limit;      // draws below it are dropped
  float scale;              // of what is kept
};

}  // namespace mgdm::ops::cpu
