// Our tasks against the paper's released test files. MGDM_TEST_DATA names the folder that has them
// (paper/path_test.jsonl, ...); without it these tests are skipped.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "base/text.h"
#include "data/encoded_dataset.h"
#include "data/examples_file.h"
#include "tasks/all_tasks.h"
#include "tasks/score.h"

namespace mgdm {
namespace {

using data::LocatedExample;
using tasks::Example;

class RealData : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("MGDM_TEST_DATA") == nullptr) GTEST_SKIP() << "MGDM_TEST_DATA is not set";
  }

  static std::vector<LocatedExample> read(const std::string& file, const tasks::Task& task) {
    return data::read_examples(std::string(std::getenv("MGDM_TEST_DATA")) + "/" + file, task);
  }

  // Every stored label is right by both metrics, and fits the paper's sequence length.
  static void expect_labels_verify(const std::string& file, const std::string& name,
                                   std::size_t rows, int length) {
    const auto task = tasks::make_task(name);
    data::EncodedDataset dataset(data::Vocabulary(), data::make_seq2seq(length));
    tasks::Score score;
    for (const LocatedExample& row : read(file, *task)) {
      score.add(*task, row.example, row.example.output);
      dataset.add(row.example);
    }
    EXPECT_EQ(score.all.n, rows);
    EXPECT_EQ(score.all.correct, rows);
    EXPECT_EQ(score.all.correct_paper, rows);
    EXPECT_TRUE(score.errors.empty());
  }
};

TEST_F(RealData, EveryStoredLabelVerifies) {
  expect_labels_verify("paper/path_test.jsonl", "planning", 1000, 75);
  expect_labels_verify("paper/cd4_test.jsonl", "countdown-4", 1000, 64);
  expect_labels_verify("paper/3sat7_test.jsonl", "sat-7", 1000, 285);
  expect_labels_verify("paper/sudoku_test_200.csv", "sudoku", 200, 164);
}

TEST_F(RealData, OurSearchFindsTheCountdownLabels) {
  const auto task = tasks::make_task("countdown-4");
  std::size_t same = 0;
  for (const LocatedExample& row : read("paper/cd4_test.jsonl", *task))
    same += task->solve(row.example.input) == row.example.output ? 1 : 0;
  EXPECT_EQ(same, 1000u);
}

TEST_F(RealData, CountdownTargetsAreTheHeldOutOnes) {
  const auto task = tasks::make_task("countdown-4");
  std::map<std::string, int> theirs, ours;
  const auto target = [](const Example& example) {
    return example.input.substr(example.input.rfind(',') + 1);
  };
  for (const LocatedExample& row : read("paper/cd4_test.jsonl", *task))
    ++theirs[target(row.example)];
  for (std::uint32_t i = 0; i < 1000; ++i)
    ++ours[target(task->generate(0, tasks::Split::kTest, i))];
  ASSERT_EQ(theirs.size(), ours.size());
  // Both are uniform over nine targets: mean 111, standard deviation of the difference 14.
  for (const auto& [number, n] : theirs) EXPECT_NEAR(n, ours[number], 5 * 14) << number;
}

// Mean sequence length and its standard error, theirs and ours, agree within five of them.
TEST_F(RealData, CountdownLengthsAgree) {
  const auto task = tasks::make_task("countdown-4");
  const auto moments = [](const std::vector<Example>& examples) {
    double sum = 0, squares = 0;
    for (const Example& example : examples) {
      const auto length = static_cast<double>(example.input.size() + example.output.size() + 2);
      sum += length;
      squares += length * length;
    }
    const auto n = static_cast<double>(examples.size());
    return std::pair{sum / n, (squares / n - sum / n * sum / n) / n};
  };
  std::vector<Example> theirs, ours;
  for (const LocatedExample& row : read("paper/cd4_test.jsonl", *task))
    theirs.push_back(row.example);
  for (std::uint32_t i = 0; i < 10000; ++i)
    ours.push_back(task->generate(0, tasks::Split::kTest, i));
  const auto [mean_theirs, variance_theirs] = moments(theirs);
  const auto [mean_ours, variance_ours] = moments(ours);
  EXPECT_NEAR(mean_theirs, mean_ours, 5 * std::sqrt(variance_theirs + variance_ours));
}

TEST_F(RealData, GameOf24IsSolvableAndVerifiesThroughCountdown) {
  const auto task = tasks::make_task("countdown-4");
  std::size_t rows = 0;
  for (const auto& [example, line] : read("paper/cd4_tot24.jsonl", *task)) {
    ++rows;
    EXPECT_EQ(example.output, "=24");
    const auto solution = task->solve(example.input);
    ASSERT_TRUE(solution) << example.input;
    EXPECT_EQ(task->verify(example, *solution), (tasks::Verdict{true, true}));
    EXPECT_EQ(task->verify(example, "=24"), (tasks::Verdict{false, false}));
  }
  EXPECT_EQ(rows, 100u);
}

TEST_F(RealData, PlanningDistances) {
  const auto task = tasks::make_task("planning");
  std::map<int, int> distances;
  for (const LocatedExample& row : read("paper/path_test.jsonl", *task))
    ++distances[task->abilities().lookahead->planning_distance(row.example)];
  // Counted once by an independent script over the file.
  EXPECT_EQ(distances,
            (std::map<int, int>{{0, 142}, {1, 186}, {2, 167}, {3, 162}, {4, 188}, {5, 155}}));
}

}  // namespace
}  // namespace mgdm
