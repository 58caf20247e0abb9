#include "base/random.h"

#include "base/error.h"

namespace mgdm {

void Stream::refill() {
  words_ = stream_block(seed_, purpose_, item_, step_, block_);
  MGDM_CHECK(++block_ != 0);  // 2^34 draws from one stream
  used_ = 0;
}

std::uint64_t stable_hash(std::span<const char> bytes) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001B3;
  }
  // FNV's low bits are weak for short keys; mix them (the finaliser of MurmurHash3).
  hash ^= hash >> 33;
  hash *= 0xFF51AFD7ED558CCD;
  hash ^= hash >> 33;
  hash *= 0xC4CEB9FE1A85EC53;
  return hash ^ (hash >> 33);
}

}  // namespace mgdm
