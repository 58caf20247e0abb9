// CRC-32C (Castagnoli; RFC 3720, B.4), and the masked form that TFRecord files carry.
#pragma once

#include <cstdint>
#include <string_view>

namespace mgdm::formats {

// crc32c("123456789") == 0xE3069283 == crc32c("56789", crc32c("1234")). Uses SSE4.2's instruction
// where the processor has it.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// The same value from tables, as processors without the instruction compute it.
std::uint32_t crc32c_by_tables(std::string_view bytes, std::uint32_t before = 0);

// Rotated and offset, since the CRC of data that contains its own CRC is a poor check.
constexpr std::uint32_t masked_crc(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

}  // namespace mgdm::formats
