// Reading whole files and lines, and writing so that a file is either complete or absent.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/compression.h"

namespace mgdm {

// How a reader reads. Files that gzip or zstd compressed are decompressed.
//   kAgain  A file, a pipe, or "-" for standard input. The bytes of a pipe are kept in memory, so
//           that the next reader of the same path starts at its beginning.
//   kOnce   As kAgain, but this is the last reader of a pipe: no more bytes are kept.
//   kFile   A regular file. A pipe or a device is an Error: reading it may never end.
// Ctrl-C while a reader waits for a pipe throws Interrupted.
enum class Reading { kAgain, kOnce, kFile };

inline constexpr std::size_t kMostTextBytes = std::size_t{256} << 20;

// The bytes of a regular file. An Error names the path and the reason; a file of more than
// `most_bytes` is an Error as well.
std::string read_file(const std::filesystem::path& path, std::size_t most_bytes = kMostTextBytes);

// The bytes of a file, a pipe or standard input ("-"). Later readers of the same path can read them
// again.
std::string read_input(const std::string& path);

// Reads the bytes of a file or a pipe as they arrive.
class ByteReader {
 public:
  explicit ByteReader(const std::string& path, Reading reading = Reading::kAgain);
  ~ByteReader();
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  // Waits for at least one byte, reads at most `most` and returns their number; 0 at the end.
  std::size_t read(char* to, std::size_t most) { return read_(to, most); }

  // Returns the size of a regular file that is not compressed, and 0 for anything else.
  std::size_t size() const { return size_; }

 private:
  class Source;
  std::unique_ptr<Source> source_;
  ReadBytes read_;
  std::size_t size_ = 0;
};

// The text of a file or a pipe, of which a part at a time is in memory: what was read and not yet
// consumed. A byte order mark is skipped. UTF-16 and a beginning that is not text are Errors.
class TextWindow {
 public:
  explicit TextWindow(const std::string& path, Reading reading = Reading::kAgain);

  // The bytes at hand. The view lives until the next more().
  std::string_view text() const { return std::string_view(buffer_).substr(begin_); }

  // Reads more of the file behind what is at hand, at least as many bytes where they are there
  // already. Returns false at the end of the file.
  bool more();

  // Passes over the first bytes.
  void consume(std::size_t bytes) { begin_ += bytes; }

  // Takes a line off the front, without '\n' or "\r\n". Returns false at the end of the file. A
  // line longer than kMaxLine, which bounds the memory, is an Error; `number` is for that.
  static constexpr std::size_t kMaxLine = std::size_t{64} << 20;
  bool next_line(std::string_view& line, std::size_t number);

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  ByteReader bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;
  bool started_ = false, at_end_ = false;
};

// The lines of a file, one at a time; a pipe's lines as soon as they arrive. The last line need not
// end in '\n'. Errors are those of TextWindow.
class LineReader {
 public:
  static constexpr std::size_t kMaxLine = TextWindow::kMaxLine;

  explicit LineReader(const std::string& path, Reading reading = Reading::kAgain)
      : window_(path, reading) {}

  // False at the end. The view lives until the next call.
  bool next(std::string_view& line) {
    const bool found = window_.next_line(line, line_number_ + 1);
    line_number_ += found ? 1 : 0;
    return found;
  }

  const std::string& path() const { return window_.path(); }
  std::size_t line_number() const { return line_number_; }  // of the line last returned, from 1

 private:
  TextWindow window_;
  std::size_t line_number_ = 0;
};

// "-" and "/dev/stdout".
bool is_standard_output(std::string_view path);

// A name beside `path` that cannot be guessed: in a shared folder another user could put a link
// there.
std::string temporary_name(const std::string& path);

// Writes to a temporary name beside `path` and renames on commit(). Without commit() (an exception,
// Ctrl-C) nothing is left behind and an older file of that name stays as it was.
// A link stays a link: the file it leads to is the one that is replaced. "-" writes to standard
// output; a device or pipe (/dev/null) and an open descriptor (/dev/fd/3) are written in place. A
// file whose path ends in .gz or .zst is compressed.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  void put(std::string_view bytes);

  std::string path_;
  std::unique_ptr<Compressor> compressor_;
  std::string temporary_;  // empty when written in place
  std::FILE* file_ = nullptr;
};

// Locks an existing file or folder for this process, as long as the object lives. An Error when
// another process holds the lock. On file systems without locks it does nothing.
class FileLock {
 public:
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_;
};

// AtomicFile in one call.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace mgdm
