// A file as a span of bytes: read into memory, or when it is large read by the kernel page by page
// as they are touched.
//
// What was read stays as it is whatever becomes of the file. A large file must not be truncated
// while it is mapped (that is a SIGBUS, on every system). Replacing it by a rename, as AtomicFile
// does, is harmless: the map keeps the old content.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace mgdm::formats {

class MappedFile {
 public:
  // The largest file that is read.
  static constexpr std::size_t kMostRead = std::size_t{256} << 20;

  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  // Valid as long as this object, or the one it was moved into.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace mgdm::formats
