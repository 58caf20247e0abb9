#include "formats/json_tree.h"

#include <gtest/gtest.h>

#include "formats/json_text.h"

namespace mgdm::formats {
namespace {

using Result = JsonTree::Result;

TEST(JsonTree, FindsValuesAndWhatTheySay) {
  const std::string text =
      R"({"a": "x\u00e9\ud83d\ude00\n\"", "list": [1, -2.5e3, [], {}, null], "o": {"k": "v"}} more)";
  JsonTree tree;
  ASSERT_EQ(tree.parse(text), Result::kValue);
  EXPECT_EQ(text.substr(tree.size()), " more");
  const auto keys = tree.children(0);
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_EQ(tree.text(keys[0] + 1), "x\u00e9\U0001F600\n\"");
  const auto items = tree.children(keys[1] + 1);
  ASSERT_EQ(items.size(), 5u);
  EXPECT_EQ(tree.text(items[1]), "-2.5e3");
  EXPECT_EQ(tree.kind(items[2]), JsonTree::Kind::kList);
  EXPECT_TRUE(tree.children(items[3]).empty());
  EXPECT_EQ(tree.kind(items[4]), JsonTree::Kind::kWord);
  EXPECT_EQ(tree.raw(keys[2] + 1), R"({"k": "v"})");
}

// The parser of the library takes the same texts; what is cut off may go on.
TEST(JsonTree, IsAsStrictAsTheLibrary) {
  for (const std::string text :
       {"{}", "[]", "[[1],[2]]", "{\"a\":{\"b\":[]}}", "\"\\u0041\\/\"", "[0,-0,0.5,1e9,1E-2]",
        "[true,false,null]", " \n[1 ,\t2]", "\"\u00e9\""}) {
    JsonTree tree;
    EXPECT_EQ(tree.parse(text), Result::kValue) << text;
    EXPECT_EQ(tree.size(), text.size());
    EXPECT_FALSE(parse_json(text).is_discarded()) << text;
    for (std::size_t cut = 0; cut < text.size(); ++cut)
      EXPECT_EQ(tree.parse(text.substr(0, cut)), Result::kUnfinished) << text.substr(0, cut);
  }
  for (const std::string text : {"]",
                                 "}",
                                 "{1:2}",
                                 "{\"a\" 1}",
                                 "{\"a\":1,}",
                                 "[1,]",
                                 "[1 2]",
                                 "[01]",
                                 "[1.]",
                                 "[+1]",
                                 "[.5]",
                                 "\"\x01\"",
                                 "\"\\x\"          ",
                                 "\"\\ud800 and more of it\"",
                                 "\"\xff\"",
                                 "nul ",
                                 "[1}",
                                 "{\"a\":1]",
                                 "{,}",
                                 "[,]",
                                 "'a'",
                                 "\"a\nb\""}) {
    JsonTree tree;
    EXPECT_EQ(tree.parse(text), Result::kWrong) << text;
    EXPECT_TRUE(parse_json(text).is_discarded()) << text;
  }
  JsonTree tree;
  EXPECT_EQ(tree.parse(std::string(64, '[')), Result::kUnfinished);
  EXPECT_EQ(tree.parse(std::string(65, '[')), Result::kWrong);
}

}  // namespace
}  // namespace mgdm::formats
