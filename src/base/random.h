// Counter-based random streams, on Philox 4x32-10.
//
// A draw is a pure function of (seed, purpose, item, step, index). There is no shared state, so the
// draws for item 7 do not depend on the number of threads, batches or processes, or on their order.
//
//   Stream random(seed, Purpose::kGenerate, item);
//   int die = 1 + int(random.below(6));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/philox.h"

namespace mgdm {

// What a stream is for. Numbers are part of the data's identity: never renumber, only append.
enum class Purpose : std::uint32_t {
  kGenerate = 1,  // making the puzzle of an item
  kShuffle = 2,   // the order of an epoch; item = epoch
  kAugment = 3,   // symmetry applied to an item; step = epoch
  kInit = 4,      // weights; item = place in the list of tensors
  kTimestep = 5,  // t of an item; step = training step
  kMask = 6,      // which positions are masked; step = training step
  kNoise = 7,     // which tokens stand in for shown ones, or normal noise; step = training step
  kDecode = 8,    // noise while decoding; step = try * 65536 + denoising step
  kDropout = 9,   // the seed of LibTorch's generator; item = training step, step = rank
  kLoops = 10,    // how often a looped network is applied; item = training step
  kView = 11,     // a symmetry by which an item is decoded; step = its number among them
  kTest = 99,     // unit tests
};

class Stream {
 public:
  Stream(std::uint64_t seed, Purpose purpose, std::uint32_t item, std::uint32_t step = 0)
      : seed_(seed), step_(step), item_(item), purpose_(static_cast<std::uint32_t>(purpose)) {}

  // Uniform over all 32-bit words.
  std::uint32_t next() {
    if (used_ == 4) refill();
    return words_[used_++];
  }

  // Uniform over 0..n-1 without bias (Lemire 2019); n >= 1.
  std::uint32_t below(std::uint32_t n) {
    std::uint64_t product = std::uint64_t{next()} * n;
    if (static_cast<std::uint32_t>(product) < n) {
      const std::uint32_t threshold = (0u - n) % n;
      while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{next()} * n;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // Uniform over low..high, both included.
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1)));
  }

  // Uniform over [0, 1): a multiple of 2^-24, exact in float.
  float uniform() { return philox_uniform(next()); }

  // Fisher-Yates, last position first.
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[below(static_cast<std::uint32_t>(i))]);
  }

 private:
  void refill();

  std::uint64_t seed_;
  std::uint32_t block_ = 0, step_, item_, purpose_;
  PhiloxWords words_{};
  unsigned used_ = 4;
};

// FNV-1a with a final avalanche: a fixed, portable hash for train/test splits and signatures.
std::uint64_t stable_hash(std::span<const char> bytes);

}  // namespace mgdm
