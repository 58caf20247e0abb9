// Philox 4x32-10 (Salmon et al., SC 2011): four random words from a counter and a key, by ten
// rounds of multiplying and mixing (or fewer, where named). CUDA kernels include this file too, so
// that the two draw alike.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define MGDM_HOST_DEVICE __host__ __device__
#else
#define MGDM_HOST_DEVICE
#endif

namespace mgdm {

struct PhiloxWords {
  std::uint32_t word[4];

  MGDM_HOST_DEVICE constexpr std::uint32_t operator[](unsigned i) const { return word[i]; }
  bool operator==(const PhiloxWords&) const = default;
};

// The 64 bits of a b. For a GPU the one instruction is named: left alone, the compiler carries
// 64-bit numbers through the rounds.
MGDM_HOST_DEVICE constexpr void multiply_wide(std::uint32_t a, std::uint32_t b, std::uint32_t& high,
                                              std::uint32_t& low) {
#ifdef __CUDA_ARCH__
  asm("{\n.reg .b64 product;\nmul.wide.u32 product, %2, %3;\nmov.b64 {%0, %1}, product;\n}"
      : "=r"(low), "=r"(high)
      : "r"(a), "r"(b));
#else
  const std::uint64_t product = std::uint64_t{a} * b;
  high = static_cast<std::uint32_t>(product >> 32);
  low = static_cast<std::uint32_t>(product);
#endif
}

template <int kRounds = 10>
MGDM_HOST_DEVICE constexpr PhiloxWords philox(PhiloxWords counter, std::uint32_t key0,
                                              std::uint32_t key1) {
  constexpr std::uint32_t kMultiply0 = 0xD2511F53, kMultiply1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < kRounds; ++round) {
    std::uint32_t high0 = 0, low0 = 0, high1 = 0, low1 = 0;
    multiply_wide(kMultiply0, counter[0], high0, low0);
    multiply_wide(kMultiply1, counter[2], high1, low1);
    counter = {{high1 ^ counter[1] ^ key0, low1, high0 ^ counter[3] ^ key1, low0}};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return counter;
}

// Words 4 block .. 4 block + 3 of a stream (base/random.h):
// key = (seed low, seed high), counter = (block, step, item, purpose).
MGDM_HOST_DEVICE constexpr PhiloxWords stream_block(std::uint64_t seed, std::uint32_t purpose,
                                                    std::uint32_t item, std::uint32_t step,
                                                    std::uint32_t block) {
  return philox({{block, step, item, purpose}}, static_cast<std::uint32_t>(seed),
                static_cast<std::uint32_t>(seed >> 32));
}

// Uniform over [0, 1): a multiple of 2^-24, exact in float.
MGDM_HOST_DEVICE constexpr float philox_uniform(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24f;
}

}  // namespace mgdm
