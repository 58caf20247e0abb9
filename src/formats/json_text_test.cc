#include "formats/json_text.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace mgdm::formats {
namespace {

using namespace std::string_literals;

TEST(JsonText, IsReadAndWritten) {
  const std::string text = R"({"b":1,"a":[true,null,"x"]})";
  EXPECT_EQ(json_text(parse_ordered_json(text)), text);
  EXPECT_EQ(json_text(parse_json(text)), R"({"a":[true,null,"x"],"b":1})");
  EXPECT_EQ(json_text(json_of("[1]", "file"), 2), "[\n  1\n]");
  EXPECT_EQ(json_text(ordered_json_of(text, "file")), text);
}

TEST(JsonText, ThatIsNoneIsDiscardedOrAnErrorThatNamesItsSource) {
  for (const std::string& wrong : {"{"s, ""s, "[1] 2"s, "\"\xff\""s, "[1]\0[2]"s}) {
    EXPECT_TRUE(parse_json(wrong).is_discarded()) << wrong;
    EXPECT_TRUE(parse_ordered_json(wrong).is_discarded()) << wrong;
    for (const bool ordered : {false, true}) {
      try {
        ordered ? void(ordered_json_of(wrong, "x.json", "a list"))
                : void(json_of(wrong, "x.json", "a list"));
        FAIL() << wrong;
      } catch (const Error& error) {
        EXPECT_EQ(error.seen().rfind("x.json: not valid JSON: ", 0), 0u) << error.what();
        EXPECT_EQ(error.expected(), "a list");
      }
    }
  }
}

TEST(JsonText, IsAlwaysUtf8) {
  EXPECT_EQ(json_text(nlohmann::json("a\xff")), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(json_text(nlohmann::ordered_json("a\xff")), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace mgdm::formats
