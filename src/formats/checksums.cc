#include "formats/checksums.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

static_assert(std::endian::native == std::endian::little, "words are read as little endian");

namespace mgdm::formats {
namespace {

namespace fs = std::filesystem;

std::string line_of(const std::string& name, std::uint32_t crc) {
  return fmt::format("{:08x}  {}\n", crc, name);
}

// Reads in pieces: a file of weights may be larger than the memory that is left.
std::uint32_t checksum_of(const fs::path& path) {
  if (is_special(path)) throw Error(fmt::format("{} is not a regular file", path.string()));
  std::ifstream file(path, std::ios::binary);
  constexpr std::streamsize kPiece = 1 << 20;
  const auto piece = std::make_unique<char[]>(kPiece);
  std::uint32_t crc = 0;
  while (file.read(piece.get(), kPiece) || file.gcount() > 0)
    crc = crc32c({piece.get(), static_cast<std::size_t>(file.gcount())}, crc);
  if (!file.eof()) throw Error(fmt::format("cannot read {}", path.string()));
  return crc;
}

void compare(const fs::path& path, std::uint32_t seen, std::uint32_t listed) {
  if (seen == listed) return;
  throw Error(fmt::format("{} is damaged: its CRC-32C is {:08x}", path.string(), seen),
              fmt::format("{:08x}, as {} says", listed, kChecksumsFile),
              fmt::format("copy the file again, or use another checkpoint; if you changed the file "
                          "yourself, delete {}",
                          (path.parent_path() / kChecksumsFile).string()));
}

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

void write_checksums(const fs::path& folder) {
  std::string text;
  for (const fs::path& path : files_in(folder))
    if (const std::string name = path.filename().string(); name != kChecksumsFile)
      text += line_of(name, checksum_of(path));
  write_file((folder / kChecksumsFile).string(), text + line_of(kChecksumsFile, crc32c(text)));
}

Checksums read_checksums(const fs::path& folder) {
  Checksums checksums;
  const fs::path path = folder / kChecksumsFile;
  if (!is_there(path)) return checksums;
  const std::string text = read_file(path);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    std::uint32_t crc = 0;
    const std::string name(line.substr(std::min<std::size_t>(line.size(), 10)));
    std::from_chars(line.data(), line.data() + line.size(), crc, 16);
    const bool last = name == kChecksumsFile;
    if (rest.size() <= line.size() || name.find('/') != name.npos ||
        line_of(name, crc) != rest.substr(0, line.size() + 1) ||
        (last && crc != crc32c(std::string_view(text).substr(0, text.size() - rest.size()))))
      break;
    rest.remove_prefix(line.size() + 1);
    if (last && rest.empty()) return checksums;
    checksums.emplace(name, crc);
  }
  throw Error(fmt::format("{} is damaged", path.string()),
              "a list of checksums that ends with its own",
              "copy it again; without it the folder is read unchecked");
}

void check_files(const fs::path& folder) {
  for (const auto& [name, crc] : read_checksums(folder))
    if (is_there(folder / name)) compare(folder / name, checksum_of(folder / name), crc);
}

std::string read_checked_file(const fs::path& path, std::size_t most_bytes) {
  std::string bytes = read_file(path, most_bytes);
  const Checksums checksums = read_checksums(path.parent_path());
  if (const auto found = checksums.find(path.filename().string()); found != checksums.end())
    compare(path, crc32c(bytes), found->second);
  return bytes;
}

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
