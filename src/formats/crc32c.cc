#include "formats/crc32c.h"

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

#include <array>
#include <bit>
#include <cstring>

static_assert(std::endian::native == std::endian::little, "words are read as little endian");

namespace mgdm::formats {
namespace {

using Table = std::array<std::uint32_t, 256>;

// Entry i of table k is the remainder of byte i with k zero bytes behind it ("slicing by 8"); the
// polynomial 0x1EDC6F41 with its bits reversed.
constexpr std::array<Table, 8> make_tables() {
  std::array<Table, 8> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0x82F63B78u : 0u);
    tables[0][i] = rest;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t i = 0; i < 256; ++i)
      tables[k][i] = (tables[k - 1][i] >> 8) ^ tables[0][tables[k - 1][i] & 0xFF];
  return tables;
}

constexpr std::array<Table, 8> kTables = make_tables();

std::uint64_t word_at(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Here and below the register `crc` is not yet inverted. Takes whole words of 8 bytes.
std::uint32_t words_by_tables(std::string_view bytes, std::uint32_t crc) {
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const std::uint64_t word = word_at(bytes.data()) ^ crc;
    crc = 0;
    for (unsigned k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 0xFF];
  }
  return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) std::uint32_t words_by_instruction(std::string_view bytes,
                                                                     std::uint32_t crc) {
  std::uint64_t rest = crc;
  for (; bytes.size() >= 8; bytes.remove_prefix(8))
    rest = _mm_crc32_u64(rest, word_at(bytes.data()));
  return static_cast<std::uint32_t>(rest);
}
#endif

template <class Words>
std::uint32_t crc_by(Words&& words, std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = words(bytes, ~before);
  for (const char byte : bytes.substr(bytes.size() & ~std::size_t{7}))
    crc = kTables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

}  // namespace

std::uint32_t crc32c_by_tables(std::string_view bytes, std::uint32_t before) {
  return crc_by(words_by_tables, bytes, before);
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("sse4.2")) return crc_by(words_by_instruction, bytes, before);
#endif
  return crc32c_by_tables(bytes, before);
}

}  // namespace mgdm::formats
