#include "formats/jsonl.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "formats/test_support.h"

namespace mgdm::formats {
namespace {

std::string jsonl_error(const std::string& line) {
  return error_of([&] { parse_jsonl_line(line); });
}

TEST(Jsonl, ReadsStringsAndIgnoresTheRest) {
  const JsonStrings members =
      parse_jsonl_line(R"({"input": "a\"b\u00e9", "n": 3, "x": {"y": "z"}, "output": ""})");
  EXPECT_EQ(members, (JsonStrings{{"input", "a\"b\xc3\xa9"}, {"output", ""}}));
}

TEST(Jsonl, ReadsListsAsLines) {
  EXPECT_EQ(
      parse_jsonl_line(R"({"grid": ["53.", "6.."], "rows": [[5, 3, null], ["6", 0, 1]],
                                 "row": [1, 2], "none": [], "deep": [[[1]]], "mixed": [1, {}]})"),
      (JsonStrings{{"grid", "53.\n6.."}, {"none", ""}, {"row", "1,2"}, {"rows", "5,3,\n6,0,1"}}));
}

TEST(Jsonl, WritesWhatItReads) {
  const std::string nasty = "tab\t quote\" backslash\\ newline\n nul" + std::string(1, '\0');
  std::string line = jsonl_line({{"input", nasty}, {"output", "1+2=3"}});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(parse_jsonl_line(line), (JsonStrings{{"input", nasty}, {"output", "1+2=3"}}));
}

TEST(Jsonl, ComplainsAboutWhatIsNoObject) {
  EXPECT_NE(jsonl_error("{\"input\": ").find("is not JSON"), std::string::npos);
  EXPECT_NE(jsonl_error("{\"input\": \"\xff\"}").find("is not JSON"), std::string::npos);
  EXPECT_NE(jsonl_error(std::string("{}\0{", 4)).find("is not JSON"), std::string::npos);
  EXPECT_NE(jsonl_error("[1]").find("JSON array"), std::string::npos);
  EXPECT_NE(jsonl_error(std::string(100000, '[')).find("is not JSON"), std::string::npos);
}

TEST(Jsonl, NamesFileAndLine) {
  const std::string path = std::filesystem::temp_directory_path() / "mgdm_jsonl_test.jsonl";
  write_file(path, "{\"input\": \"a\"}\n\n{\"output\": \"b\"}\r\n");
  JsonlReader reader(path);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.required_text({"puzzle", "input"}), "a");
  ASSERT_TRUE(reader.next());  // the blank line is skipped
  EXPECT_EQ(reader.text("output"), "b");
  try {
    reader.required_text({"input", "puzzle"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.seen(), path + ":3: the line has none of these members: input, puzzle");
  }
  EXPECT_FALSE(reader.next());
  write_file(path, "{\"input\": 5}\n");
  JsonlReader other(path);
  ASSERT_TRUE(other.next());
  EXPECT_CONTAINS(error_of([&] { other.required_text({"input"}); }), ":1: 'input' is 5\n");
  std::filesystem::remove(path);
}

TEST(MetricsFile, GivesTheNumbersOfLinesThatHaveAStep) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "metrics.jsonl";
  EXPECT_TRUE(read_metric(file, "loss").empty());
  write_file(file.string(),
             "{\"step\":0,\"loss\":3,\"lr\":null}\n{\"loss\":9}\n{\"step\":-1,\"loss\":9}\n[1]\n"
             "{\"step\":4,\"accuracy\":0.5}\n{\"step\":8,\"loss\":1.5}\n{\"step\":12,\"lo");
  std::vector<std::int64_t> steps;
  std::string last;
  for_each_metrics_line(file, [&](const MetricsLine& line) {
    steps.push_back(line.step);
    EXPECT_EQ(line.numbers.size(), 1u) << line.text;
    last = line.text;
  });
  EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 4, 8}));
  EXPECT_EQ(last, "{\"step\":8,\"loss\":1.5}");
  const auto points = read_metric(file, "loss");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1].x, 8);
  EXPECT_EQ(points[1].y, 1.5);
}

}  // namespace
}  // namespace mgdm::formats
