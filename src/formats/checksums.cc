#include "formats/checksums.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "formats/crc32c.h"

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

}  // namespace mgdm::formats
