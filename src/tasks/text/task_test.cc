#include <gtest/gtest.h>

#include "base/error.h"
#include "tasks/all_tasks.h"
#include "tasks/score.h"

namespace mgdm::tasks {
namespace {

TEST(TextTask, AnAnswerIsRightIfItIsOneOfTheLabels) {
  const auto task = make_task("text");
  const Example example{"a", "bcd", {"x"}};
  EXPECT_TRUE(judge(*task, example, "bcd[EOS][PAD]").correct);
  EXPECT_TRUE(judge(*task, example, "x[EOS]").correct);
  EXPECT_FALSE(judge(*task, example, "bc[EOS]").correct);
  EXPECT_FALSE(judge(*task, example, "bcd").paper_applies);
  EXPECT_EQ(check(*task, {"a", ""}, "b[EOS]").result, Check::Result::kNotChecked);
}

TEST(TextTask, AFaultSaysWhereAnAnswerGoesWrong) {
  const auto task = make_task("text");
  const auto fault = [&](const char* answer) { return task->explain({"a", "bäd"}, answer).at(0); };
  EXPECT_EQ(fault("bäx").category, "another character");
  EXPECT_EQ(fault("bäx").where, 3);
  EXPECT_EQ(fault("böd").where, 2);  // ä and ö share their first byte
  EXPECT_EQ(fault("bä").category, "too short");
  EXPECT_EQ(fault("bädd").category, "too long");
  EXPECT_EQ(fault("bädd").where, 4);
  EXPECT_TRUE(task->explain({"a", "b"}, "b").empty());
}

TEST(TextTask, CannotBeGenerated) {
  EXPECT_THROW(make_task("text")->generate(0, Split::kTest, 0), UsageError);
}

}  // namespace
}  // namespace mgdm::tasks
