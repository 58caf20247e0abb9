#include "prompting/key.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "formats/test_support.h"

namespace mgdm::prompting {
namespace {

TEST(Key, ComesFromTheEnvironmentAndIsNeverShown) {
  ::setenv("MGDM_TEST_KEY", " sk-1\n", 1);
  EXPECT_EQ(key_from("MGDM_TEST_KEY"), "sk-1");
  ::setenv("MGDM_TEST_KEY", "sk-2\nX: y", 1);
  const std::string bad = error_of([] { key_from("MGDM_TEST_KEY"); });
  EXPECT_CONTAINS(bad, "MGDM_TEST_KEY");
  EXPECT_EQ(bad.find("sk-2"), std::string::npos);
  ::setenv("MGDM_TEST_KEY", "sk-\xc3\xa4", 1);
  EXPECT_CONTAINS(error_of([] { key_from("MGDM_TEST_KEY"); }), "cannot be sent");
  ::unsetenv("MGDM_TEST_KEY");
  EXPECT_CONTAINS(error_of([] { key_from("MGDM_TEST_KEY"); }),
                  "no key in the environment variable MGDM_TEST_KEY");
}

// --key-variable sk-... instead of the name of a variable.
TEST(Key, IsNotShownWhereItStandsForTheName) {
  const std::string error = error_of([] { key_from("sk-SECRETKEYXYZ"); });
  EXPECT_CONTAINS(error, "not the key itself");
  EXPECT_EQ(error.find("SECRET"), std::string::npos) << error;
}

TEST(Key, IsHiddenHoweverItIsEscaped) {
  EXPECT_EQ(without_key("a k/+ b k/+", "k/+"), "a *** b ***");
  EXPECT_EQ(without_key(R"(k\/\u002B k\/\u002b \u006b/+)", "k/+"), "*** *** ***");
  EXPECT_EQ(without_key("k/ k\\u002", "k/+"), "k/ k\\u002");
  EXPECT_EQ(without_key(R"(\u006b\u0075 k\u ku)", "ku"), "*** *** ***");
  EXPECT_EQ(without_key("abc", ""), "abc");
}

}  // namespace
}  // namespace mgdm::prompting
