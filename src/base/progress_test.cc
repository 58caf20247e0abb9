#include "base/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "support/test_terminal.h"

namespace mgdm {
namespace {

TEST(Progress, ReadsDurations) {
  EXPECT_EQ(parse_duration("20m"), 1200);
  EXPECT_EQ(parse_duration("90s"), 90);
  EXPECT_EQ(parse_duration("1.5h"), 5400);
  EXPECT_EQ(parse_duration("2 M"), 120);
  for (const char* text : {"", "20", "m", "-1m", "0s", "nanm", "infs", "1d", "20m later"})
    EXPECT_THROW(parse_duration(text), UsageError) << text;
}

TEST(Progress, Formats) {
  EXPECT_EQ(format_duration(0.2), "0s");
  EXPECT_EQ(format_duration(59.4), "59s");
  EXPECT_EQ(format_duration(187), "3m 07s");
  EXPECT_EQ(format_duration(7500), "2h 05m");
  EXPECT_EQ(format_duration(100.5 * 3600), "4d 04h");
  EXPECT_EQ(format_duration(5309.2 * 86400), "14y 199d");
  EXPECT_EQ(format_count(950), "950");
  EXPECT_EQ(format_count(12345), "12.3k");
  EXPECT_EQ(format_count(4560000), "4.56M");
}

TEST(Progress, LineHasShareRateAndTimeLeft) {
  EXPECT_EQ(progress_line("generating", 5000, 10000, 2, true),
            "generating  [############............]   50%  5.0k/10.0k  2.5k/s  2s left");
  EXPECT_EQ(progress_line("x", 0, 10, 0, false), "x    0%  0/10  0/s");
  EXPECT_EQ(progress_line("x", 1, 4, 20, false), "x   25%  1/4  0.05/s  1m 00s left");
  EXPECT_EQ(progress_line("x", 10, 20, 10, false), "x   50%  10/20  1/s  10s left");
  EXPECT_EQ(progress_line("x", 0, 0, 1, false), "x ...");
  EXPECT_EQ(progress_line("x", 50, 0, 2, true), "x  50  25/s");
}

// What reaches a file (not a terminal) when one of three was done before the first second is over,
// and nothing after it.
std::string shown(bool quiet, std::chrono::milliseconds time) {
  std::FILE* const file = std::tmpfile();
  {
    Progress progress("work", 3, quiet, file);
    progress.add(1);
    std::this_thread::sleep_for(time);
  }
  std::rewind(file);
  char text[1000] = {};
  const std::size_t n = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  return {text, n};
}

TEST(Progress, PlainLinesAndSilence) {
  const std::chrono::milliseconds kLong(3000);
  const std::string text = shown(false, kLong);
  EXPECT_TRUE(text.starts_with("work   33%  1/3  ")) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\n'), text.size() - 1);  // one line, not one per item
  EXPECT_EQ(shown(true, kLong), "");
  EXPECT_EQ(shown(false, std::chrono::milliseconds(0)), "");
}

// What a file has been given, as soon as that is anything.
std::string first_words(std::FILE* file) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  char text[1000] = {};
  ssize_t n = 0;
  while (n <= 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    n = ::pread(::fileno(file), text, sizeof text, 0);
  }
  return {text, static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
}

TEST(Progress, AnswersCtrlCAtOnce) {
  const auto says_so = [] {
    catch_interrupts();
    std::FILE* const file = std::tmpfile();
    const Progress progress("work", 3, /*quiet=*/false, file);
    std::raise(SIGINT);
    return first_words(file) == "work: stopping after what is under way; Ctrl-C again: at once\n";
  };
  EXPECT_EXIT(std::_Exit(says_so() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(Progress, FitsIntoTheTerminal) {
  for (const auto& [columns, expected] :
       {std::pair{60, "\rwork  [........................]    0%  0/3  0/s\x1b[K"},
        std::pair{30, "\rwork    0%  0/3  0/s\x1b[K"}, std::pair{10, "\rwork    …\x1b[K"}}) {
    const TestTerminal terminal(static_cast<unsigned short>(columns));
    if (terminal.file() == nullptr) GTEST_SKIP() << "no terminal can be had";
    Progress progress("work", 3, /*quiet=*/false, terminal.file());
    EXPECT_EQ(terminal.shown_up_to("\x1b[K"), expected);
  }
}

}  // namespace
}  // namespace mgdm
