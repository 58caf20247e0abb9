#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "data/examples_file.h"
#include "support/error_of.h"
#include "tasks/all_tasks.h"

namespace mgdm::data {
namespace {

using tasks::Example;

class TextFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::vector<LocatedExample> read(const std::string& text, const std::string& keys = "") {
    write_file(path_, text);
    return read_examples(path_, *tasks::make_task("text"), formats::keys_of(keys));
  }
  Example only(const std::string& text, const std::string& keys = "") {
    const auto examples = read(text, keys);
    EXPECT_EQ(examples.size(), 1u);
    return examples.at(0).example;
  }
  const std::string path_ = std::filesystem::temp_directory_path() /
                            ("mgdm_text_" + std::to_string(::getpid()) + ".whatever");
};

TEST_F(TextFile, JsonNamesPuzzleAndAnswerInSeveralWays) {
  EXPECT_EQ(only(R"({"input": "a", "output": "b"})"), (Example{"a", "b"}));
  EXPECT_EQ(only(R"({"completion": "b", "prompt": "a"})"), (Example{"a", "b"}));
  EXPECT_EQ(only(R"({"question": "a", "answer": 17})"), (Example{"a", "17"}));
  EXPECT_EQ(only(R"({"nums": [3, 4], "target": 7})", "nums=target"), (Example{"3\n4", "7"}));
  EXPECT_EQ(only(R"({"input": "# no comment"})"), (Example{"# no comment", ""}));
}

TEST_F(TextFile, AListOfAnswersIsSeveralUnlessThePuzzleIsLinesToo) {
  EXPECT_EQ(only(R"({"input": "a", "output": ["b", "c", "d"]})"), (Example{"a", "b", {"c", "d"}}));
  EXPECT_EQ(only(R"({"input": ["#.#", "#.#"], "output": ["#o#", "#o#"]})"),
            (Example{"#.#\n#.#", "#o#\n#o#"}));
}

TEST_F(TextFile, TablesAreReadWithAndWithoutNames) {
  const auto tabs = read("abc\tcba\n x \t y\n");
  ASSERT_EQ(tabs.size(), 2u);
  EXPECT_EQ(tabs[1].example, (Example{" x ", " y"}));      // spaces belong to the strings
  EXPECT_EQ(only("\"a\t#\"\n"), (Example{"\"a", "#\""}));  // and so do quotes
  EXPECT_EQ(tabs[1].line, 2u);
  EXPECT_EQ(only("Answer\tQuestion\nb\ta\n"), (Example{"a", "b"}));
  EXPECT_EQ(only("id,question,answer\n1,\"a, and\nb\",c\n"), (Example{"a, and\nb", "c"}));
  EXPECT_EQ(only("left;right\na;b\n", "left=right"), (Example{"a", "b"}));
}

TEST_F(TextFile, OtherLinesArePuzzles) {
  const auto lines = read("# is a wall\n\nc and p are letters\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].example, (Example{"# is a wall", ""}));
  EXPECT_EQ(lines[1].example, (Example{"c and p are letters", ""}));
  EXPECT_EQ(lines[1].line, 3u);
}

TEST_F(TextFile, ErrorsNameTheLine) {
  const std::string good = "{\"input\": \"a\", \"output\": \"b\"}\n";
  for (const auto& [line, seen] : {std::pair{"{\"in\": \"a\"}", "none of these members"},
                                   {"{\"input\": {}}", "'input' is {}"},
                                   {"{\"input\": \"\"}", "the puzzle is empty"},
                                   {"{\"input\": ", "is not JSON"},
                                   {"[1]", "is not a JSON object"}}) {
    const std::string error = error_of([&, bad = line] { read(good + bad + "\n"); });
    EXPECT_NE(error.find(path_ + ":2: "), std::string::npos) << error;
    EXPECT_NE(error.find(seen), std::string::npos) << error;
  }
  EXPECT_NE(error_of([&] { read("a\tb\nc\n"); }).find(":2: the row has 1 columns"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { read("input,output\na,\"b\n"); }).find(":2: a quote that nothing closes"),
      std::string::npos);
  EXPECT_THROW(read(good, "input"), UsageError);
  EXPECT_THROW(read(""), Error);
}

}  // namespace
}  // namespace mgdm::data
