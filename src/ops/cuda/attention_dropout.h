// The choice of dropped attention weights: a pure function of (seed, offset, head, query, key), so
// that the backward pass repeats the draws of the forward pass, and a test can repeat them on the
// host.
//
// One Philox block has 128 random bits: eight decisions of 16 bits. They go to eight weights that
// one thread has in registers both in forward, whose tiles are queries x keys, and in backward,
// whose tiles are keys x queries. A thread of a tensor-core tile always has the same place within
// 8 x 8 squares, so a block serves one place in the 2 x 4 squares of 16 queries x 32 keys:
//
//   key      seed low, seed high
//   counter  (query / 16) << 16 | (key / 32) << 6 | (query % 8) << 3 | key % 8,
//            head = b H + h,  offset low,  offset high
//   word     (key / 8) % 4
//   half     (query / 8) % 2: 0 the low 16 bits, 1 the high ones
//
// A weight is dropped where its 16 bits are below threshold = round(65536 share): the share is met
// to 2^-17, and what is kept is divided by the kept share as it really is, so that the mean stays.
// Seven rounds are enough for Philox to pass BigCrush (Salmon et al., SC 2011), and they are what
// this costs.
#pragma once

#include <cstdint>

#include "base/philox.h"

namespace mgdm::ops::cuda {

struct AttentionDropout {
  std::uint64_t seed, offset;
  std::uint32_t threshold;  // 0 .. 65535

  // The decisions of one place: query and key in 0..7 and the squares' first query and key.
  MGDM_HOST_DEVICE PhiloxWords words(std::uint32_t head, std::uint32_t query,
                                     std::uint32_t key) const {
    const std::uint32_t place = (query / 16) << 16 | (key / 32) << 6 | (query % 8) << 3 | key % 8;
    return philox<7>({{place, head, static_cast<std::uint32_t>(offset),
                       static_cast<std::uint32_t>(offset >> 32)}},
                     static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  }

  // Whether a word from words() keeps the weight of one of the low or high eight queries.
  MGDM_HOST_DEVICE bool keeps_low(std::uint32_t word) const {
    return (word << 16) >= (threshold << 16);
  }
  MGDM_HOST_DEVICE bool keeps_high(std::uint32_t word) const { return word >= (threshold << 16); }

  MGDM_HOST_DEVICE bool keeps(std::uint32_t head, std::uint32_t query, std::uint32_t key) const {
    const std::uint32_t word = words(head, query, key)[(key / 8) % 4];
    return (query / 8) % 2 == 0 ? keeps_low(word) : keeps_high(word);
  }

  // What kept weights are multiplied by.
  MGDM_HOST_DEVICE float scale() const { return 65536.0f / static_cast<float>(65536 - threshold); }

  static MGDM_HOST_DEVICE std::uint32_t threshold_of(float share) {
    const float rounded = share * 65536.0f + 0.5f;
    return rounded < 65535.0f ? static_cast<std::uint32_t>(rounded) : 65535u;
  }
};

}  // namespace mgdm::ops::cuda
