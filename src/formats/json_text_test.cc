#include "formats/json_text.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/text.h"
#include "formats/test_support.h"

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
  for (const std::string& wrong : {"{"s, ""s, "[1] 2"s, "\"\xff\""s, "[1e999]"s, "[1]\0[2]"s,
                                   std::string(65, '[') + std::string(65, ']')}) {
    EXPECT_TRUE(parse_json(wrong).is_discarded()) << wrong;
    EXPECT_TRUE(parse_ordered_json(wrong).is_discarded()) << wrong;
    for (const bool ordered : {false, true}) {
      try {
        ordered ? void(ordered_json_of(wrong, "x.json", "a list"))
                : void(json_of(wrong, "x.json", "a list"));
        FAIL() << wrong;
      } catch (const Error& error) {
        EXPECT_EQ(error.seen().rfind("x.json: not valid JSON", 0), 0u) << error.what();
        EXPECT_EQ(error.expected(), "a list");
        EXPECT_EQ(error.seen().find("exception"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(JsonText, MayBeNestedAsDeeplyAsAnyFileIs) {
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(json_text(parse_json(deep)), deep);
  EXPECT_EQ(parse_json("\"\\\"" + std::string(99, '[') + '"').get<std::string>().size(), 100u);
  EXPECT_EQ(parse_json("[" + joined_by(std::vector<std::string>(99, "[[]]"), ",") + "]").size(),
            99u);
}

TEST(JsonText, SaysWhereItIsNot) {
  const auto says = [](const std::string& text) {
    return error_of([&] { json_of(text, "x.json"); });
  };
  EXPECT_EQ(says("[1, 2"), "x.json: not valid JSON at byte 6: it ends");
  EXPECT_EQ(says("[1, x]"), "x.json: not valid JSON at byte 5: 'x]'");
}

TEST(JsonText, IsAlwaysUtf8) {
  EXPECT_EQ(json_text(nlohmann::json("a\xff")), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(json_text(nlohmann::ordered_json("a\xff")), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace mgdm::formats
