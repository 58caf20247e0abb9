// checksums.txt: the CRC-32C of every file in the folder of a model or a checkpoint, so that a
// damaged file is refused instead of used.
//
//   9ae0daaf  config.json
//   3f5a1c02  model.safetensors
//   77b0e2d1  checksums.txt        (of the lines above this one)
//
// A folder without checksums.txt is read unchecked, and so is a file that it does not list.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/files.h"

namespace mgdm::formats {

inline constexpr const char* kChecksumsFile = "checksums.txt";

using Checksums = std::map<std::string, std::uint32_t>;  // file name -> CRC-32C

// Writes checksums.txt for the files that are in the folder now.
void write_checksums(const std::filesystem::path& folder);

// The content of checksums.txt; empty when the folder has none. An Error when it is damaged itself.
Checksums read_checksums(const std::filesystem::path& folder);

// Compares every listed file that is there with its checksum. An Error names the first that
// differs.
void check_files(const std::filesystem::path& folder);

// More than any model's config.json has: what is parsed takes ten times the memory of its text.
inline constexpr std::size_t kMostConfigBytes = std::size_t{8} << 20;

// read_file(), and an Error when the bytes are not those that checksums.txt beside the file lists.
std::string read_checked_file(const std::filesystem::path& path,
                              std::size_t most_bytes = kMostTextBytes);

// CRC-32C (Castagnoli; RFC 3720, B.4), and the masked form that TFRecord files carry.

// crc32c("123456789") == 0xE3069283 == crc32c("56789", crc32c("1234")). Uses SSE4.2's instruction
// where the processor has it.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// The CRC-32C from tables, for processors without the instruction.
std::uint32_t crc32c_by_tables(std::string_view bytes, std::uint32_t before = 0);

// Rotated and offset, since the CRC of data that contains its own CRC is a poor check.
constexpr std::uint32_t masked_crc(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

}  // namespace mgdm::formats
