#include "formats/jsonl.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "formats/json_tree.h"
#include "formats/test_support.h"

namespace mgdm::formats {
namespace {

TEST(Jsonl, WritesWhatIsReadBack) {
  const std::string nasty = "tab\t quote\" backslash\\ newline\n nul" + std::string(1, '\0');
  std::string line = jsonl_line({{"input", nasty}, {"output", "1+2=3"}});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  JsonTree tree;
  ASSERT_EQ(tree.parse(line), JsonTree::Result::kValue);
  EXPECT_EQ(tree.text(1), "input");
  EXPECT_EQ(tree.text(2), nasty);
  EXPECT_EQ(tree.text(4), "1+2=3");
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
