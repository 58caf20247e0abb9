#include "base/line_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace mgdm {
namespace {

constexpr double kSoon = 30;

TEST(LineProcess, AnswersLineByLine) {
  LineProcess echo("while read -r line; do echo \"<$line>\"; done");
  EXPECT_EQ(echo.ask("one", kSoon), "<one>");
  EXPECT_EQ(echo.ask("two words", kSoon), "<two words>");
  const std::string large(1 << 20, 'x');  // more than fits into a pipe
  LineProcess cat("cat");
  EXPECT_EQ(cat.ask(large, kSoon), large);
}

TEST(LineProcess, AnEndIsNoAnswer) {
  LineProcess ends("read line; echo once");
  EXPECT_EQ(ends.ask("a", kSoon), "once");
  EXPECT_EQ(ends.ask("b", kSoon), std::nullopt);
  EXPECT_EQ(ends.ask("c", kSoon), std::nullopt);
  LineProcess nobody("exec /no/such/program 2>/dev/null");
  EXPECT_EQ(nobody.ask("a", kSoon), std::nullopt);
}

TEST(LineProcess, AnEarlyEndIsSeen) {
  EXPECT_TRUE(LineProcess("exit 3").ends_within(30000));
  EXPECT_FALSE(LineProcess("sleep 1000").ends_within(1));
  EXPECT_FALSE(LineProcess("echo said; exec sleep 1000").ends_within(30000));
}

TEST(LineProcess, SilenceAndFloodsEnd) {
  LineProcess silent("sleep 1000");
  EXPECT_EQ(silent.ask("a", 0.3), std::nullopt);
  LineProcess flood("tr '\\n' x < /dev/zero");
  EXPECT_EQ(flood.ask("a", kSoon), std::nullopt);
}

TEST(LineProcess, EndsWhatItStarted) {
  const auto began = std::chrono::steady_clock::now();
  { LineProcess silent("sleep 1000 & sleep 1000"); }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(100));
}

}  // namespace
}  // namespace mgdm
