// Whole files of the paper's Countdown data, regenerated. Each hash is that of a file whose
// `git hash-object` was the released file's (docs/tasks.md has the ids of all six).
#include <gtest/gtest.h>

#include "base/random.h"
#include "tasks/all_tasks.h"
#include "tasks/released.h"

namespace mgdm {
namespace {

struct File {
  const char* task;
  tasks::Split split;
  std::uint64_t hash;
};

class ReleasedFile : public testing::TestWithParam<File> {};

TEST_P(ReleasedFile, ComesOutByteForByte) {
  const auto [task, split, hash] = GetParam();
  const auto file = tasks::make_task(task)->abilities().released->released(split);
  std::string lines;
  tasks::for_released(*file, file->size(), [&](const tasks::Example&) { lines += file->line(); });
  EXPECT_EQ(stable_hash(lines), hash);
}

INSTANTIATE_TEST_SUITE_P(
    Countdown, ReleasedFile,
    testing::Values(File{"countdown-3", tasks::Split::kTrain, 0x3e2854b394bd599},
                    File{"countdown-3", tasks::Split::kTest, 0x15fbddc6cb980ba5},
                    File{"countdown-4", tasks::Split::kTest, 0xb97e925db66193ad},
                    File{"countdown-5", tasks::Split::kTest, 0xad7787caf923bdae}),
    [](const auto& file) {
      const std::string digit(1, file.param.task[10]);
      return (file.param.split == tasks::Split::kTrain ? "train" : "test") + digit;
    });

}  // namespace
}  // namespace mgdm
