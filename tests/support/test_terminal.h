// A terminal for tests: what is written into file() comes out at its other side.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace mgdm {

class TestTerminal {
 public:
  explicit TestTerminal(unsigned short columns = 0) : other_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (other_ < 0 || ::grantpt(other_) != 0 || ::unlockpt(other_) != 0) return;
    file_ = std::fopen(::ptsname(other_), "w");
    const winsize size{24, columns, 0, 0};
    ::ioctl(other_, TIOCSWINSZ, &size);
  }
  ~TestTerminal() {
    if (file_ != nullptr) std::fclose(file_);
    ::close(other_);
  }
  TestTerminal(const TestTerminal&) = delete;
  TestTerminal& operator=(const TestTerminal&) = delete;

  // nullptr where no terminal can be had.
  std::FILE* file() const { return file_; }

  // What it shows up to these words, or within five seconds. It hands on what was written piece by
  // piece, in its own time.
  std::string shown_up_to(std::string_view words) const {
    std::string text;
    pollfd waiting{other_, POLLIN, 0};
    while (text.find(words) == text.npos && ::poll(&waiting, 1, /*milliseconds=*/5000) == 1) {
      char piece[4096];
      const ssize_t count = ::read(other_, piece, sizeof piece);
      if (count <= 0) break;
      text.append(piece, static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  const int other_;
  std::FILE* file_ = nullptr;
};

}  // namespace mgdm
