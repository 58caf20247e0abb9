// A file as a span of bytes, read by the kernel page by page when they are touched.
//
// The file must not be truncated while it is mapped (that is a SIGBUS, on every system). Replacing
// it by a rename, as AtomicFile does, is harmless: the map keeps the old content.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace mgdm::formats {

class MappedFile {
 public:
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
