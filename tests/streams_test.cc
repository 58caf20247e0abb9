// The program whose output cannot be written: full disks, closed streams, readers that go away.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "program_test.h"

namespace mgdm {
namespace {

const std::string kTrain = "train '" MGDM_SOURCE_DIR
                           "/recipes/smoke/mgdm.toml' training.steps=1 evaluation.count=0 --out ";

class Streams : public Program {
 protected:
  // As the shell does it with a redirection or a pipe behind the words: "2>&-".
  Outcome with(const std::string& behind, const std::string& words) const {
    return mgdm(words, "MGDM_MODELS='" MGDM_SOURCE_DIR "/models' bash -c '\"$0\" \"$@\" " + behind +
                           "; exit ${PIPESTATUS[0]}'");
  }
};

TEST_F(Streams, MessagesThatCannotBeWrittenEndNothing) {
  for (const std::string stderr_of : {"2>&-", "2>/dev/full"}) {
    EXPECT_EQ(with(stderr_of, "nosuch").code, 2) << stderr_of;
    const Outcome solved = with(stderr_of, "solve 4,5,6,10,24");
    EXPECT_EQ(solved.code, 0) << stderr_of;
    EXPECT_FALSE(solved.out.empty());
    const std::string run = path("run" + std::to_string(files()));
    EXPECT_EQ(with(stderr_of, kTrain + run).code, 0) << stderr_of;
  }
}

TEST_F(Streams, AFullDiskBehindStandardOutputIsAnError) {
  for (const std::string words :
       {"tasks", "solve 4,5,6,10,24", "solve --show 4,5,6,10,24", "generate planning --count 2"}) {
    const Outcome outcome = with(">/dev/full", words);
    EXPECT_EQ(outcome.code, 1) << words;
    EXPECT_NE(outcome.err.find("mgdm: cannot write"), std::string::npos) << outcome.err;
  }
}

TEST_F(Streams, TrainingGoesOnWhenNobodyReadsWhatItSays) {
  with("2>&1 | true", kTrain + path("run"));
  EXPECT_TRUE(std::filesystem::exists(path("run/checkpoint-1")));
}

TEST_F(Streams, TablesAreWrittenWhenNobodyReadsThem) {
  const int code = with("2>&1 | true", "reproduce tasks --out " + path("results")).code;
  EXPECT_NE(code, 128 + SIGPIPE);
  EXPECT_TRUE(std::filesystem::exists(path("results/tasks/tasks.md")));
}

TEST_F(Streams, MessagesComeAfterWhatWasPrintedBeforeThem) {
  const Outcome outcome = with("2>&1 | cat", "reproduce tasks --out " + path("results"));
  ASSERT_EQ(outcome.code, 0) << outcome.out;
  const std::size_t message = outcome.out.rfind("written: ");
  ASSERT_NE(message, std::string::npos);
  EXPECT_EQ(outcome.out.find('\n', message), outcome.out.size() - 1) << outcome.out;
}

}  // namespace
}  // namespace mgdm
