#include "base/python_random.h"

namespace mgdm {

// MT19937's init_by_array with the words of the seed, lowest first.
PythonRandom::PythonRandom(std::uint64_t seed) {
  const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(seed),
                                         static_cast<std::uint32_t>(seed >> 32)};
  const std::size_t key_words = key[1] == 0 ? 1 : 2;
  words_[0] = 19650218;
  const auto mixed = [&](std::size_t i, std::uint32_t factor) {
    return (words_[i - 1] ^ (words_[i - 1] >> 30)) * factor;
  };
  for (std::size_t i = 1; i < kWords; ++i)
    words_[i] = mixed(i, 1812433253) + static_cast<std::uint32_t>(i);

  std::size_t i = 1;
  const auto advance = [&] {
    if (++i < kWords) return;
    words_[0] = words_[kWords - 1];
    i = 1;
  };
  for (std::size_t step = 0; step < kWords; ++step, advance()) {
    const std::size_t j = step % key_words;
    words_[i] = (words_[i] ^ mixed(i, 1664525)) + key[j] + static_cast<std::uint32_t>(j);
  }
  for (std::size_t step = 0; step + 1 < kWords; ++step, advance())
    words_[i] = (words_[i] ^ mixed(i, 1566083941)) - static_cast<std::uint32_t>(i);
  words_[0] = 0x80000000u;
}

void PythonRandom::refill() {
  constexpr std::size_t kShift = 397;
  const auto twisted = [](std::uint32_t upper, std::uint32_t lower, std::uint32_t far) {
    const std::uint32_t joined = (upper & 0x80000000u) | (lower & 0x7fffffffu);
    return far ^ (joined >> 1) ^ (0x9908b0dfu & (0u - (joined & 1u)));
  };
  for (std::size_t i = 0; i < kWords - kShift; ++i)
    words_[i] = twisted(words_[i], words_[i + 1], words_[i + kShift]);
  for (std::size_t i = kWords - kShift; i + 1 < kWords; ++i)
    words_[i] = twisted(words_[i], words_[i + 1], words_[i + kShift - kWords]);
  words_[kWords - 1] = twisted(words_[kWords - 1], words_[0], words_[kShift - 1]);
  used_ = 0;
}

}  // namespace mgdm
