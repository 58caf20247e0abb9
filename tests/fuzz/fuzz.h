// What every fuzz target shares: bytes in, and our own Error is a fine way out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"

namespace mgdm::fuzz {

// Anything but an Error (a crash, a sanitizer report, MGDM_CHECK, std::bad_alloc) is a finding.
template <class Use>
int run(const std::uint8_t* data, std::size_t size, Use&& use) {
  try {
    use(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error&) {
  }
  return 0;
}

// A property that must hold for every input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace mgdm::fuzz

#define MGDM_FUZZ(text)                                                                  \
  static void fuzz_one(std::string_view text);                                           \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {    \
    return mgdm::fuzz::run(data, size, [](std::string_view bytes) { fuzz_one(bytes); }); \
  }                                                                                      \
  static void fuzz_one(std::string_view text)
