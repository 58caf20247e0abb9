#include "base/error.h"

#include <gtest/gtest.h>

namespace mgdm {
namespace {

TEST(Error, IsWhatItsPartsSay) {
  const Error error("80 digits", "81 digits", "check the file");
  EXPECT_STREQ(error.what(), "80 digits\n  expected: 81 digits\n  try: check the file");
  EXPECT_EQ(error.seen(), "80 digits");
  EXPECT_EQ(error.expected(), "81 digits");
  EXPECT_EQ(error.hint(), "check the file");
  EXPECT_STREQ(Error("80 digits").what(), "80 digits");
}

TEST(Error, KeepsItsPartsWhenAFileIsNamed) {
  try {
    with_location("data.csv", 12, [] { throw Error("80 digits", "81 digits", "count"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.seen(), "data.csv:12: 80 digits");
    EXPECT_EQ(error.expected(), "81 digits");
    EXPECT_EQ(error.hint(), "count");
  }
}

}  // namespace
}  // namespace mgdm
