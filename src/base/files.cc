#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/utf8.h"

namespace mgdm {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  if (errno == EINTR) stop_if_interrupted();
  const std::string reason = std::strerror(errno);
  throw Error(fmt::format("cannot {} {}: {}", what, path, reason));
}

using OpenFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::string all_bytes(std::FILE* file, const std::string& path) {
  std::string bytes;
  char chunk[1 << 16];
  while (const std::size_t n = std::fread(chunk, 1, sizeof chunk, file)) bytes.append(chunk, n);
  if (std::ferror(file)) fail("read", path);
  return bytes;
}

// Ctrl-C ends the waiting for whoever writes into the pipe.
std::string all_bytes_of_pipe(int descriptor, const std::string& path) {
  std::string bytes;
  char chunk[1 << 16];
  while (true) {
    wait_to_read(descriptor);
    const ssize_t n = ::read(descriptor, chunk, sizeof chunk);
    if (n == 0) return bytes;
    if (n > 0)
      bytes.append(chunk, static_cast<std::size_t>(n));
    else if (errno != EINTR && errno != EAGAIN)
      fail("read", path);
  }
}

// Without waiting for someone to write into a pipe: that is for wait_to_read, which Ctrl-C ends.
std::FILE* open_at_once(const std::string& path) {
  const int file =
      path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  return file < 0 ? nullptr : ::fdopen(file, "rb");
}

// A pipe gives its bytes once, but a file is often opened twice: to see what it holds, and to read
// it. So they are kept, by the pipe's name.
std::FILE* open_for_reading(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> kept_bytes;
  const std::lock_guard lock(mutex);
  auto kept = kept_bytes.find(path);
  if (kept == kept_bytes.end()) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      throw Error(fmt::format("cannot read {}: it is a folder", path), "a file");
    OpenFile file(open_at_once(path), &std::fclose);
    if (file == nullptr) fail("read", path);
    const int descriptor = ::fileno(file.get());
    const bool can_be_read_again = path != "-" && ::lseek(descriptor, 0, SEEK_CUR) >= 0;
    if (can_be_read_again) return file.release();
    kept = kept_bytes.emplace(path, all_bytes_of_pipe(descriptor, path)).first;
  }
  std::string& bytes = kept->second;
  std::FILE* const again =
      bytes.empty() ? std::fopen("/dev/null", "rb") : ::fmemopen(bytes.data(), bytes.size(), "rb");
  if (again == nullptr) fail("read", path);
  return again;
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  const OpenFile file(open_for_reading(path.string()), &std::fclose);
  return all_bytes(file.get(), path.string());
}

LineReader::LineReader(const std::string& path)
    : path_(path == "-" ? "<stdin>" : path), file_(open_for_reading(path)) {}

LineReader::~LineReader() { std::fclose(file_); }

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  while (true) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos || (at_end_ && begin_ < buffer_.size())) {
      const std::size_t stop = end == std::string::npos ? buffer_.size() : end;
      line = std::string_view(buffer_).substr(begin_, stop - begin_);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line_number_ == 0) line = without_bom(line);
      begin_ = std::min(stop + 1, buffer_.size());
      ++line_number_;
      return true;
    }
    if (at_end_) return false;
    if (buffer_.size() - begin_ > kMaxLine)
      throw Error(fmt::format("{}the line is longer than {} MiB", at(path_, line_number_ + 1),
                              kMaxLine >> 20),
                  "a text file with one record per line");
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    constexpr std::size_t kChunk = 1 << 16;
    buffer_.resize(searched + kChunk);
    const std::size_t n = std::fread(buffer_.data() + searched, 1, kChunk, file_);
    buffer_.resize(searched + n);
    if (n < kChunk) {
      if (std::ferror(file_)) fail("read", path_);
      at_end_ = std::feof(file_) != 0;
    }
  }
}

bool is_standard_output(std::string_view path) { return path == "-" || path == "/dev/stdout"; }

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  if (is_standard_output(path)) {
    file_ = stdout;
    return;
  }
  // Names of what is open already, which only look like links: never to be renamed over.
  if (path == "/dev/stderr" || path.starts_with("/dev/fd/") || path.starts_with("/proc/")) {
    file_ = std::fopen(path.c_str(), "ab");
    if (file_ == nullptr) fail("write", path);
    return;
  }
  std::error_code ignored;
  if (std::filesystem::is_symlink(path, ignored))
    if (const auto target = std::filesystem::canonical(path, ignored); !ignored)
      path_ = target.string();
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status))
    throw Error(fmt::format("cannot write {}: it is a folder", path), "a file name");
  const bool in_place =
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (!in_place) temporary_ = fmt::format("{}.{}.tmp", path_, ::getpid());
  file_ = std::fopen(in_place ? path.c_str() : temporary_.c_str(), "wb");
  if (file_ == nullptr) fail("write", path);
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr || file_ == stdout) return;
  std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (bytes.empty()) return;  // its data() may be null, which fwrite must not see
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail("write", path_);
}

void AtomicFile::commit() {
  if (std::fflush(file_) != 0) fail("write", path_);
  if (file_ == stdout) return;
  // The bytes must be on the disk before the name points at them, or a crash leaves an empty file.
  if (!temporary_.empty() && ::fsync(::fileno(file_)) != 0) fail("write", path_);
  std::FILE* const file = std::exchange(file_, nullptr);
  const bool closed = std::fclose(file) == 0;
  if (temporary_.empty()) return;
  if (!closed || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    std::remove(temporary_.c_str());
    errno = reason;
    fail("write", path_);
  }
}

FileLock::FileLock(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail("read", path);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(descriptor_);
  throw Error(fmt::format("another process works in {}", path), "one at a time");
}

FileLock::~FileLock() { ::close(descriptor_); }

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace mgdm
