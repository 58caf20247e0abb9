#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/text.h"

namespace mgdm {
namespace {

constexpr std::size_t kBeginning = 4096;  // bytes of a file, by which it is known

[[noreturn]] void fail(std::string_view what, std::string_view path) {
  if (errno == EINTR) stop_if_interrupted();
  const std::string reason = std::strerror(errno);
  throw Error(fmt::format("cannot {} {}: {}", what, path, reason));
}

// The length of the byte order mark at the beginning of a file. An Error where it is UTF-16's,
// which some editors call "Unicode", and where a zero byte says that the file is no text.
std::size_t mark_of(std::string_view beginning, const std::string& path) {
  if (beginning.starts_with("\xff\xfe") || beginning.starts_with("\xfe\xff"))
    throw Error(fmt::format("{} is UTF-16", shown_path(path)), "UTF-8",
                "save it as UTF-8, or: iconv -f UTF-16 -t UTF-8");
  if (beginning.substr(0, kBeginning).find('\0') != std::string_view::npos)
    throw Error(fmt::format("{} is not a text file", shown_path(path)), "UTF-8");
  return beginning.size() - without_bom(beginning).size();
}

}  // namespace

// A file, or a pipe from its first byte on.
class ByteReader::Source {
 private:
  // Bytes of a file or a pipe that has been opened, without waiting for someone to write into it.
  class Descriptor {
   public:
    explicit Descriptor(const std::string& path)
        : path_(path),
          number_(path == "-" ? ::dup(STDIN_FILENO)
                              : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
      if (number_ < 0) fail("read", shown_path(path));
    }
    ~Descriptor() { ::close(number_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    // At least one byte, as soon as there is one; 0 at the end. Ctrl-C ends the waiting for whoever
    // writes into a pipe.
    std::size_t read(char* to, std::size_t most) const {
      while (true) {
        if (!is_file()) wait_to_read(number_);
        const ssize_t n = ::read(number_, to, most);
        if (n >= 0) return static_cast<std::size_t>(n);
        if (errno != EINTR && errno != EAGAIN) fail("read", shown_path(path_));
      }
    }

    bool is_file() const { return path_ != "-" && ::lseek(number_, 0, SEEK_CUR) >= 0; }

    // The size of a regular file; none for anything else.
    std::optional<std::size_t> size() const {
      struct stat status {};
      if (::fstat(number_, &status) != 0) fail("read", shown_path(path_));
      if (!S_ISREG(status.st_mode)) return std::nullopt;
      return static_cast<std::size_t>(status.st_size);
    }

   private:
    std::string path_;
    int number_;
  };

  // What came out of a pipe so far, for those who read it again.
  struct Pipe {
    explicit Pipe(std::shared_ptr<Descriptor> from) : descriptor(std::move(from)) {}
    std::shared_ptr<Descriptor> descriptor;
    std::string kept;
  };

 public:
  Source(const std::string& path, Reading reading) : reading_(reading) {
    static std::mutex mutex;
    static std::map<std::string, std::shared_ptr<Pipe>> pipes;
    const std::lock_guard lock(mutex);
    if (const auto known = pipes.find(path); known != pipes.end()) {
      pipe_ = known->second;
      return;
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      throw Error(fmt::format("cannot read {}: it is a folder", path), "a file");
    file_ = std::make_shared<Descriptor>(path);
    if (reading == Reading::kFile && !size())
      throw Error(fmt::format("cannot read {}: it is not a regular file", path), "a file");
    if (file_->is_file()) return;
    pipe_ = std::make_shared<Pipe>(std::move(file_));
    pipes.emplace(path, pipe_);
  }

  std::optional<std::size_t> size() const { return file_ ? file_->size() : std::nullopt; }

  // As Descriptor::read.
  std::size_t read(char* to, std::size_t most) {
    if (!pipe_) return file_->read(to, most);
    std::string& kept = pipe_->kept;
    if (place_ < kept.size()) {
      const std::size_t n = kept.copy(to, most, place_);
      place_ += n;
      return n;
    }
    const std::size_t n = pipe_->descriptor->read(to, most);
    if (reading_ == Reading::kAgain)
      kept.append(to, n);
    else
      kept.clear();
    place_ = kept.size();
    return n;
  }

 private:
  Reading reading_;
  std::shared_ptr<Descriptor> file_;  // or
  std::shared_ptr<Pipe> pipe_;
  std::size_t place_ = 0;  // in what is kept of the pipe
};

ByteReader::ByteReader(const std::string& path, Reading reading)
    : source_(std::make_unique<Source>(path, reading)) {
  constexpr std::string_view kFirstOfMagic = "\x1f\x28";
  std::string beginning(kMagicBytes, '\0');
  std::size_t have = 0;
  do {  // a pipe's first line must not wait for the second
    const std::size_t n = source_->read(beginning.data() + have, kMagicBytes - have);
    have += n;
    if (n == 0) break;
  } while (have < kMagicBytes && kFirstOfMagic.find(beginning[0]) != kFirstOfMagic.npos);
  beginning.resize(have);
  const bool fills = source_->size().has_value();
  read_ = [source = source_.get(), rest = beginning, fills](char* to, std::size_t most) mutable {
    if (rest.empty()) return source->read(to, most);
    const std::size_t n = rest.copy(to, most);
    rest.erase(0, n);
    return fills && n < most ? n + source->read(to + n, most - n) : n;
  };
  if (ReadBytes unpacked = decompressed(beginning, read_, path)) {
    read_ = std::move(unpacked);
  } else {
    size_ = source_->size().value_or(0);
  }
}

ByteReader::~ByteReader() = default;

namespace {

std::string read_all(const std::string& path, Reading reading, std::size_t most_bytes) {
  ByteReader source(path, reading);
  const std::size_t size = source.size();
  std::string bytes;
  if (size <= most_bytes) bytes.reserve(size);
  char chunk[1 << 16];
  while (const std::size_t n = source.read(chunk, sizeof chunk)) {
    if (n > most_bytes - bytes.size())
      throw Error(fmt::format("cannot read {}: it is too large", shown_path(path)),
                  fmt::format("at most {} bytes", most_bytes));
    bytes.append(chunk, n);
  }
  if (bytes.size() < size)
    throw Error(fmt::format("cannot read {}: it was truncated while it was read", path),
                "a whole file");
  return bytes;
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::size_t most_bytes) {
  return read_all(path.string(), Reading::kFile, most_bytes);
}

std::string read_input(const std::string& path) {
  return read_all(path, Reading::kAgain, kMostTextBytes);
}

TextWindow::TextWindow(const std::string& path, Reading reading)
    : path_(path), bytes_(path, reading) {}

bool TextWindow::more() {
  if (at_end_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t had = buffer_.size();
  constexpr std::size_t kChunk = 1 << 16;
  buffer_.resize(had + std::max(kChunk, had));
  const std::size_t n = bytes_.read(buffer_.data() + had, buffer_.size() - had);
  buffer_.resize(had + n);
  at_end_ = n == 0;
  // A pipe may bring a mark byte by byte.
  const bool part_of_mark = n > 0 && buffer_.size() < 3 && (buffer_[0] & 0xE0) == 0xE0;
  if (!started_ && !part_of_mark) {
    started_ = true;
    consume(mark_of(buffer_, path_));
  }
  return !at_end_;
}

bool TextWindow::next_line(std::string_view& line, std::size_t number) {
  std::size_t searched = 0;
  while (true) {
    const std::string_view all = text();
    const std::size_t end = all.find('\n', searched);
    if (end != std::string_view::npos || (at_end_ && !all.empty())) {
      const std::size_t stop = std::min(end, all.size());
      line = all.substr(0, stop);
      if (line.ends_with('\r')) line.remove_suffix(1);
      consume(std::min(stop + 1, all.size()));
      return true;
    }
    if (at_end_) return false;
    if (all.size() > kMaxLine)
      throw Error(
          fmt::format("{}the line is longer than {} MiB", at(path_, number), kMaxLine >> 20),
          "a text file with one record per line");
    searched = all.size();
    more();
  }
}

bool is_standard_output(std::string_view path) { return path == "-" || path == "/dev/stdout"; }

std::string temporary_name(const std::string& path) {
  std::random_device random;
  return fmt::format("{}.{:08x}{:08x}.tmp", path, random(), random());
}

AtomicFile::AtomicFile(const std::string& path)
    : path_(path),
      compressor_(compressor_for(path, [this](std::string_view bytes) { put(bytes); })) {
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
  if (in_place) {
    file_ = std::fopen(path.c_str(), "wb");
  } else {
    temporary_ = temporary_name(path_);
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int descriptor = ::open(temporary_.c_str(), kNew, 0666);
    if (descriptor >= 0) file_ = ::fdopen(descriptor, "wb");
  }
  if (file_ == nullptr) fail("write", path);
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr || file_ == stdout) return;
  std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (compressor_)
    compressor_->write(bytes);
  else
    put(bytes);
}

void AtomicFile::put(std::string_view bytes) {
  if (bytes.empty()) return;  // its data() may be null, which fwrite must not see
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail("write", path_);
}

void AtomicFile::commit() {
  if (compressor_) compressor_->finish();
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
