// The released files, made again. Their first lines are held against a second implementation, in
// Python on its own `random` and `heapq`, by a hash; and against the files themselves where
// MGDM_TEST_DATA names a folder that has them.
#include "tasks/released.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/random.h"
#include "tasks/all_tasks.h"
#include "tasks/countdown/generate.h"

namespace mgdm::tasks {
namespace {

using MakeLine = std::string (Released::*)() const;

std::string lines(const char* task, Split split, std::size_t count,
                  MakeLine line = &Released::line) {
  std::string all;
  const auto released = make_task(task)->abilities().released->released(split);
  for_released(*released, count, [&](const Example&) { all += (*released.*line)(); });
  return all;
}

TEST(Released, CountdownBeginsAsItsGeneratorDoes) {
  EXPECT_EQ(lines("countdown-3", Split::kTrain, 2),
            "{\"input\": \"44,2,54,64\", \"output\": \"2*54=108,108-44=64\"}\n"
            "{\"input\": \"22,11,44,26\", \"output\": \"44/11=4,22+4=26\"}\n");
  EXPECT_EQ(stable_hash(lines("countdown-3", Split::kTrain, 500)), 0x99ba57e3b8964a08u);
  EXPECT_EQ(stable_hash(lines("countdown-4", Split::kTrain, 500)), 0x59a9998cb5bdfc45u);
}

TEST(Released, TracesAreThoseOfTheGenerator) {
  EXPECT_EQ(lines("countdown-3", Split::kTrain, 5, &Released::trace_line)
                .substr(lines("countdown-3", Split::kTrain, 4, &Released::trace_line).size()),
            "{\"nums\": [38, 86, 91], \"target\": 43, \"solution\": [\"86-38=48\", \"91-48=43\"], "
            "\"search_type\": \"bfs_2\", \"heuristic\": \"mult_heuristic\", "
            "\"rating\": 0.8958333333333334, \"search_path\": "
            "\"Current State: 43:[38, 86, 91], Operations: []\\n"
            "Exploring Operation: 91-86=5, Resulting Numbers: [38, 5]\\n"
            "Generated Node #0,0: 43:[38, 5] Operation: 91-86=5\\n"
            "Exploring Operation: 86-38=48, Resulting Numbers: [91, 48]\\n"
            "Generated Node #0,1: 43:[91, 48] Operation: 86-38=48\\n"
            "Moving to Node #0,0\\n"
            "Current State: 43:[38, 5], Operations: ['91-86=5']\\n"
            "Exploring Operation: 38-5=33, Resulting Numbers: [33]\\n"
            "33,43 unequal: No Solution\\n"
            "Exploring Operation: 38+5=43, Resulting Numbers: [43]\\n"
            "43,43 equal: Goal Reached\\n\"}\n");
  const auto hash = [](const char* task, std::size_t count) {
    return stable_hash(lines(task, Split::kTrain, count, &Released::trace_line));
  };
  EXPECT_EQ(hash("countdown-3", 100), 0x20dd723f87ae1bd2u);
  EXPECT_EQ(hash("countdown-4", 100), 0x827e3e4840f30740u);
}

TEST(Released, PlanningBeginsAsItsGeneratorDoes) {
  EXPECT_EQ(stable_hash(lines("planning", Split::kTest, 1000)), 0x6f3af749c73781a8u);
  const std::string train = lines("planning", Split::kTrain, 1000);
  EXPECT_EQ(train.substr(0, train.find('\n')),
            "{\"input\": \"5,9/11,7/2,1/9,3/3,8/7,2/8,4/6,11/5,6/4,0-5,1\", "
            "\"output\": \"5,6/6,11/11,7/7,2/2,1\", \"reversed\": \"1,2/2,7/7,11/11,6/6,5\"}");
  EXPECT_EQ(stable_hash(train), 0xba8cb42606d1428du);
}

// The generator's own shuffle holds out the targets that our generator does.
TEST(Released, SplitsShareNoTarget) {
  for (const int count : {3, 4, 5}) {
    const auto task = make_task("countdown-" + std::to_string(count));
    std::set<std::string> seen, allowed;
    for (const countdown::Number target : countdown::targets(count, Split::kTrain))
      allowed.insert(std::to_string(target));
    for_released(*task->abilities().released->released(Split::kTrain), 1500,
                 [&](const Example& example) {
                   seen.insert(example.input.substr(example.input.rfind(',') + 1));
                   EXPECT_TRUE(task->verify(example, example.output).correct);
                 });
    EXPECT_EQ(seen, allowed);
  }
}

TEST(Released, RefusesWhatCannotBeMadeAgain) {
  for (const char* name : {"countdown-6", "search-5", "optimal-5", "sudoku", "sat-7"}) {
    EXPECT_EQ(make_task(name)->abilities().released, nullptr) << name;
  }
  EXPECT_EQ(make_task("planning", {"nodes=4"})->abilities().released, nullptr);
  EXPECT_THROW(lines("planning", Split::kTest, 1001), UsageError);
  EXPECT_THROW(lines("countdown-4", Split::kTest, 1001), UsageError);
  EXPECT_THROW(lines("countdown-4", Split::kTrain, 500'001), UsageError);
  EXPECT_FALSE(make_task("countdown-5")->abilities().traces);
  EXPECT_EQ(released_test(*make_task("planning"), 1001).size(), 1000u);
}

class ReleasedFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("MGDM_TEST_DATA") == nullptr) GTEST_SKIP() << "MGDM_TEST_DATA is not set";
  }

  // The bytes of a file in that folder.
  static std::string bytes(const std::string& file) {
    return read_file(std::string(std::getenv("MGDM_TEST_DATA")) + "/" + file);
  }
};

TEST_F(ReleasedFiles, ComeOutByteForByte) {
  EXPECT_TRUE(lines("planning", Split::kTest, 1000) == bytes("paper/path_test.jsonl"));
  EXPECT_TRUE(lines("countdown-4", Split::kTrain, 2000) == bytes("paper/cd4_train_2000.jsonl"));
  EXPECT_TRUE(lines("countdown-4", Split::kTest, 1000) == bytes("paper/cd4_test.jsonl"));
}

TEST_F(ReleasedFiles, SoDoTheTraces) {
  EXPECT_TRUE(lines("countdown-4", Split::kTrain, 60, &Released::trace_line) ==
              bytes("sos/traces_seed4.jsonl"));
}

}  // namespace
}  // namespace mgdm::tasks
