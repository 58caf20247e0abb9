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

TEST(Error, NamesStandardInput) {
  EXPECT_EQ(at("-", 2), "<stdin>:2: ");
  EXPECT_EQ(at("-", 0), "<stdin>: ");
  EXPECT_EQ(shown_path("-"), "<stdin>");
  EXPECT_EQ(shown_path("./-"), "./-");
}

TEST(Error, OfALineIsHandledOthersPass) {
  const auto handled = [](const auto& thrown) {
    return attempt([&]() -> std::string { throw thrown; },
                   [](const Error& error) { return error.seen(); });
  };
  EXPECT_EQ(handled(Error("80 digits")), "80 digits");
  EXPECT_THROW(handled(UsageError("--digits 80")), UsageError);
  EXPECT_THROW(handled(Interrupted("interrupted")), Interrupted);
  EXPECT_EQ(attempt([] { return 81; }, [](const Error&) { return 80; }), 81);
}

}  // namespace
}  // namespace mgdm
