#include "base/compression.h"
#include "fuzz.h"

MGDM_FUZZ(text) {
  using namespace mgdm;
  const auto bytes = [rest = text](char* to, std::size_t most) mutable {
    const std::size_t n = rest.copy(to, most);
    rest.remove_prefix(n);
    return n;
  };
  const ReadBytes unpacked = decompressed(text, bytes, "a file");
  if (!unpacked) return;
  char chunk[1 << 12];
  std::size_t total = 0;
  constexpr std::size_t kMost = std::size_t{16} << 20;  // a few bytes may hold many
  while (const std::size_t n = unpacked(chunk, sizeof chunk)) {
    fuzz::require(n <= sizeof chunk);
    if ((total += n) > kMost) return;
  }
}
