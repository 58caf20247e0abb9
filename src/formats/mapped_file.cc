#include "formats/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace mgdm::formats {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  const char* const reason = std::strerror(errno);
  throw Error(fmt::format("cannot read {}: {}", path.string(), reason));
}

class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) fail(path);
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

void read_all(int descriptor, std::span<std::byte> to, const std::filesystem::path& path) {
  while (!to.empty()) {
    const ssize_t count = ::read(descriptor, to.data(), to.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path);
    if (count == 0)
      throw Error(fmt::format("cannot read {}: it became shorter meanwhile", path.string()));
    to = to.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Asked before open(), which would wait for a writer on a named pipe.
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error(fmt::format("cannot read {}: it is not a regular file", path.string()), "a file");
  const Descriptor file(path);
  struct stat info {};
  if (::fstat(file.number(), &info) != 0) fail(path);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return;  // mmap refuses an empty range
  if (size > kMostRead) {
    void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (start == MAP_FAILED) fail(path);
    bytes_ = {static_cast<const std::byte*>(start), size};
    return;
  }
  // Memory of the same kind, so that both are given back in the same way.
  void* const start =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) fail(path);
  bytes_ = {static_cast<const std::byte*>(start), size};
  try {
    read_all(file.number(), {static_cast<std::byte*>(start), size}, path);
  } catch (...) {
    ::munmap(start, size);
    throw;
  }
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace mgdm::formats
