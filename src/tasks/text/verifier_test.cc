#include "tasks/text/verifier.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "tasks/all_tasks.h"
#include "tasks/score.h"
#include "tasks/text/task.h"

namespace mgdm::tasks::text {
namespace {

// The commands of these tests count their starts in a file, one letter each.
class VerifierTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string counted(const std::string& script) const {
    return "printf x >> " + path_ + "; " + script;
  }
  std::size_t starts() const { return read_file(path_).size(); }
  const std::string path_ =
      testing::TempDir() + "mgdm_verifier_" + std::to_string(::getpid()) + ".txt";
  // This command accepts answers that begin with 'r'.
  const std::string good_ =
      "while read -r q; do case $q in *'\"answer\":\"r'*) echo '{\"score\": 1}';; "
      "*) echo '{\"score\": 0.25, \"why\": \"no r\"}';; esac; done";
};

TEST_F(VerifierTest, ACommandJudgesInPlaceOfTheLabel) {
  const auto task = make_verified("text", counted(good_));
  EXPECT_TRUE(judge(*task, {"a", "label"}, "right[EOS]").correct);
  const Check check = tasks::check(*task, {"a", ""}, "wrong[EOS]");
  ASSERT_TRUE(check.wrong());
  EXPECT_EQ(check.faults.at(0).words, "no r");
  EXPECT_EQ(starts(), 1u);
  EXPECT_THROW(make_verified("sudoku", good_), UsageError);
  EXPECT_THROW(make_verified("text", " "), UsageError);
  EXPECT_THROW(make_verified("text", "exec /no/such/program 2>/dev/null"), Error);
}

TEST_F(VerifierTest, ItSeesPuzzleAnswerAndLabel) {
  const Verifier verifier("while read -r q; do printf '%s\\n' \"$q\" >> " + path_ +
                          "; echo '{\"score\": 1}'; done");
  ASSERT_TRUE(verifier.judge({"a\"b", "c"}, "d"));
  ASSERT_TRUE(verifier.judge({"a", ""}, "d"));
  EXPECT_EQ(read_file(path_),
            "{\"input\":\"a\\\"b\",\"answer\":\"d\",\"label\":\"c\"}\n"
            "{\"input\":\"a\",\"answer\":\"d\"}\n");
}

TEST_F(VerifierTest, OneThatEndsIsStartedAgain) {
  const Verifier verifier(counted("read -r q; echo '{\"score\": 1}'"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(verifier.judge({std::to_string(i), ""}, "r")) << i;
  EXPECT_EQ(starts(), 3u);
}

TEST_F(VerifierTest, OneThatFailsTwiceIsReportedAndAskedNoMore) {
  for (const char* bad : {"read -r q; exit 1", "while read -r q; do echo nonsense; done",
                          "while read -r q; do echo '{\"score\": 2}'; done",
                          "while read -r q; do echo '{\"score\": \"1\"}'; done", "sleep 1000"}) {
    std::filesystem::remove(path_);
    const Verifier verifier(counted(bad), /*patience=*/0.3);
    testing::internal::CaptureStderr();
    EXPECT_FALSE(verifier.judge({"a", ""}, "r")) << bad;
    EXPECT_FALSE(verifier.judge({"b", ""}, "r")) << bad;
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("not checked"), std::string::npos) << bad;
    EXPECT_EQ(said.find("not checked"), said.rfind("not checked")) << "said once: " << said;
    EXPECT_EQ(starts(), 2u) << bad;
  }
}

TEST_F(VerifierTest, ThreadsHaveAProcessEach) {
  const Verifier verifier(good_);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const bool right = i % 2 == 0;
        const auto judged =
            verifier.judge({std::to_string(t), std::to_string(i)}, right ? "r" : "w");
        ASSERT_TRUE(judged);
        EXPECT_EQ(judged->right(), right);
      }
    });
}

}  // namespace
}  // namespace mgdm::tasks::text
