// Four numbers at a time, for loops on the CPU that LibTorch has no fast version of. GCC's and
// Clang's vector types: the same source becomes NEON or SSE.
#pragma once

#include <algorithm>
#include <cstdint>

namespace mgdm::ops::cpu {

constexpr std::int64_t kLanes = 4;
using Lanes = float __attribute__((vector_size(16)));
using Ints = std::int32_t __attribute__((vector_size(16)));
using Words = std::uint32_t __attribute__((vector_size(16)));

inline Lanes load(const float* from) {
  Lanes x;
  __builtin_memcpy(&x, from, sizeof(x));
  return x;
}

inline void store(float* to, Lanes x) { __builtin_memcpy(to, &x, sizeof(x)); }

inline Lanes larger(Lanes a, Lanes b) { return a < b ? b : a; }

inline float sum(Lanes x) { return (x[0] + x[1]) + (x[2] + x[3]); }

inline float largest(Lanes x) { return std::max(std::max(x[0], x[1]), std::max(x[2], x[3])); }

// e^x to about one unit in the last place, between e^-87 and e^88; not a number stays that. The
// polynomial is that of Cephes' expf.
inline Lanes exp(Lanes x) {
  constexpr float kRound = 0x1.8p23f;  // adding it leaves the nearest integer in the low bits
  x = x < -87.0f ? Lanes{} - 87.0f : x;
  x = x > 88.0f ? Lanes{} + 88.0f : x;
  const Lanes shifted = x * 1.44269504088896341f + kRound;
  const Lanes n = shifted - kRound;
  const Lanes r = (x - n * 0.693359375f) + n * 2.12194440e-4f;  // x - n log 2, in two parts
  Lanes p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const Ints exponent = (reinterpret_cast<Ints>(shifted) << 23) + (127 << 23);
  return p * reinterpret_cast<Lanes>(exponent);
}

// Which numbers dropout keeps: a function of a key and the number's index, so that threads share
// the work and the backward pass draws again what the forward pass drew.
class Keep {
 public:
  Keep(double dropout, std::uint64_t key)
      : low_(static_cast<std::uint32_t>(key)),
        high_(static_cast<std::uint32_t>(key >> 32)),
        limit_(static_cast<std::uint32_t>(dropout * 0x1p32)),
        scale_(static_cast<float>(1 / (1 - dropout))) {}

  // The factors of the numbers from `index` on: 0, or 1 / (1 - dropout).
  Lanes operator()(std::uint32_t index) const {
    Words h = (Words{0, 1, 2, 3} + index) * 0x9E3779B1u ^ low_;
    h = (h ^ (h >> 16)) * 0x85EBCA6Bu + high_;  // twice the mixing of MurmurHash3
    h = (h ^ (h >> 13)) * 0xC2B2AE35u;
    h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
    h = (h ^ (h >> 13)) * 0xC2B2AE35u;
    h ^= h >> 16;
    return h >= limit_ ? Lanes{} + scale_ : Lanes{};
  }

 private:
  std::uint32_t low_, high_, limit_;
  float scale_;
};

}  // namespace mgdm::ops::cpu
