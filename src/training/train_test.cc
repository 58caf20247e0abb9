// The loop itself, in this process. tests/training_cli_test.cc sees it as a user does.
#include "training/train.h"

#include <gtest/gtest.h>

#include "training/test_support.h"

namespace mgdm::training {
namespace {

namespace fs = std::filesystem;

using Steps = std::vector<std::int64_t>;

// The process was killed before it had saved anything.
TEST(Train, ResumingBeforeTheFirstCheckpointMeasuresAnew) {
  SmallRun run;
  run.train();
  ASSERT_EQ(run.measured("loss"), (Steps{2, 4, 6}));
  fs::remove_all(run.path() / "checkpoint-6");
  run.train(/*resume=*/true);
  EXPECT_EQ(run.measured("loss"), (Steps{2, 4, 6}));
}

// Long before the first line of metrics.
TEST(Train, SaysHowItGoesAfterTheFirstStep) {
  SmallRun run;
  run.quiet = false;
  run.training.log_every = 1000;
  testing::internal::CaptureStderr();
  run.train();
  const std::string said = testing::internal::GetCapturedStderr();
  const std::string first = said.substr(0, said.find('\n'));
  EXPECT_CONTAINS(first, "step 1/6   17%  loss ");
  EXPECT_CONTAINS(first, " tokens/s  ");
  EXPECT_CONTAINS(first, " left");
  EXPECT_CONTAINS(said, "step 6/6  100%  loss ");
}

}  // namespace
}  // namespace mgdm::training
