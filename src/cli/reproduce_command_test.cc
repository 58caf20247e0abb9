#include "cli/reproduce_command.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace mgdm::cli {
namespace {

TEST(ReproduceCommand, ReadsDurations) {
  EXPECT_EQ(parse_duration("20m"), 1200);
  EXPECT_EQ(parse_duration("90s"), 90);
  EXPECT_EQ(parse_duration("1.5h"), 5400);
  EXPECT_EQ(parse_duration("2 M"), 120);
  for (const char* text : {"", "20", "m", "-1m", "0s", "nanm", "infs", "1d", "20m later"})
    EXPECT_THROW(parse_duration(text), UsageError) << text;
}

}  // namespace
}  // namespace mgdm::cli
