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

}  // namespace
}  // namespace mgdm::training
