#include "training/status_line.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace mgdm::training {
namespace {

using namespace std::chrono_literals;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::string text_of(std::FILE* file) {
  std::string text(4096, ' ');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

// What a terminal shows, up to the end of a line. It hands on what was written piece by piece, in
// its own time.
std::string line_of(int terminal) {
  std::string text;
  pollfd waiting{terminal, POLLIN, 0};
  while (!text.ends_with('\n') && ::poll(&waiting, 1, /*milliseconds=*/5000) == 1) {
    char piece[4096];
    const ssize_t count = ::read(terminal, piece, sizeof piece);
    if (count <= 0) break;
    text.append(piece, static_cast<std::size_t>(count));
  }
  return text;
}

TEST(StatusLine, IsPrintedNowAndThenInAFile) {
  const File file(std::tmpfile(), std::fclose);
  StatusLine status(/*quiet=*/false, file.get());
  const auto start = StatusLine::Clock::now();
  EXPECT_TRUE(status.due(start));
  status.keep("a note");
  EXPECT_TRUE(status.due(start));  // nothing was said of how it goes
  status.show("step 1", start);
  EXPECT_FALSE(status.due(start + 9s));
  EXPECT_TRUE(status.due(start + 10s));
  status.show("step 2", start + 10s);
  EXPECT_FALSE(status.due(start + 19s));
  EXPECT_EQ(text_of(file.get()), "a note\nstep 1\nstep 2\n");
}

TEST(StatusLine, MovesEverySecondOnATerminal) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0)
    GTEST_SKIP() << "no terminal can be had";
  {
    const File file(std::fopen(::ptsname(terminal), "w"), std::fclose);
    ASSERT_TRUE(file);
    StatusLine status(/*quiet=*/false, file.get());
    const auto start = StatusLine::Clock::now();
    EXPECT_TRUE(status.due(start));
    status.show("step 1", start);
    EXPECT_FALSE(status.due(start + 900ms));
    EXPECT_TRUE(status.due(start + 1s));
    status.show("step 2", start + 1s);
    status.keep("the end");
    std::fflush(file.get());
    EXPECT_EQ(line_of(terminal), "\rstep 1\x1b[K\rstep 2\x1b[K\rthe end\x1b[K\r\n");
  }
  ::close(terminal);
}

TEST(StatusLine, IsSilentWhenAsked) {
  const File file(std::tmpfile(), std::fclose);
  StatusLine status(/*quiet=*/true, file.get());
  EXPECT_FALSE(status.due());
  status.show("step 1");
  status.keep("the end");
  EXPECT_EQ(text_of(file.get()), "");
}

}  // namespace
}  // namespace mgdm::training
