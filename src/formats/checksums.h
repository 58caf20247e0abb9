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

// read_file(), and an Error when the bytes are not those that checksums.txt beside the file lists.
std::string read_checked_file(const std::filesystem::path& path,
                              std::size_t most_bytes = kMostTextBytes);

}  // namespace mgdm::formats
