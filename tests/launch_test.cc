// Several processes as a user starts them: the same numbers as one, clean stops, no hangs.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "background_process.h"
#include "base/files.h"
#include "base/text.h"
#include "program_test.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

class Launch : public Program {
 protected:
  static std::string recipe(const std::string& name) {
    return "train '" + (fs::path(MGDM_SOURCE_DIR) / "recipes/smoke" / (name + ".toml")).string() +
           "' ";
  }

  // One that goes on until it is stopped.
  std::string endless(const std::string& out) const {
    return recipe("mgdm") + "training.steps=100000000 training.log_every=10 --out " + path(out);
  }

  static std::string variables(int size) {
    return "WORLD_SIZE=" + std::to_string(size) +
           " MASTER_ADDR=127.0.0.1 MASTER_PORT=" + std::to_string(20000 + ::getpid() % 9000);
  }

  static std::string exec(const std::string& arguments) {
    return "exec '" + std::string(MGDM_PROGRAM) + "' " + arguments;
  }

  bool training_is_under_way(const std::string& out) const {
    return BackgroundProcess::wait_until(60,
                                         [&] { return fs::exists(path(out + "/metrics.jsonl")); });
  }

  std::vector<double> losses(const std::string& out) const {
    std::vector<double> all;
    LineReader lines(path(out + "/metrics.jsonl"));
    for (std::string_view line; lines.next(line);) {
      const auto json = nlohmann::json::parse(line);
      if (json.contains("loss")) all.push_back(json["loss"]);
    }
    return all;
  }

  std::vector<std::string> checkpoints(const std::string& out) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path(out)))
      if (entry.path().filename().string().starts_with("checkpoint-"))
        names.push_back(entry.path().filename());
    return names;
  }
};

// Where LibTorch comes without the headers of Gloo, processes on CPUs cannot be connected.
class ConnectedLaunch : public Launch {
 protected:
  void SetUp() override {
    if (!MGDM_GLOO) GTEST_SKIP() << "built without Gloo";
    Launch::SetUp();
  }
};

TEST_F(ConnectedLaunch, TwoProcessesGiveTheLossesOfOne) {
  // 31 rows: shares of different size. Sums in another order differ by some 2^-23 per step.
  for (const std::string name : {"mgdm", "rdm", "ar", "looped", "vdm"}) {
    // A looped network drops nothing, and the program would say so.
    const std::string words = recipe(name) + " training.log_every=1" +
                              (name == "looped" ? "" : " model.dropout=0 training.batch=31") +
                              " --out ";
    ASSERT_EQ(mgdm(words + path(name + "-one")).code, 0);
    const Outcome outcome =
        mgdm("launch -n 2 -- " + words + path(name + "-two") + " training.accumulate=3");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(trim(outcome.out), path(name + "-two") + "/checkpoint-12");
    const std::vector<double> one = losses(name + "-one"), two = losses(name + "-two");
    ASSERT_EQ(one.size(), 12u);
    ASSERT_EQ(two.size(), 12u);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(two[i] / one[i], 1, 1e-5) << name;
  }
}

// The processes meet once for each seed.
TEST_F(ConnectedLaunch, SeveralSeedsAreTrainedOneAfterTheOther) {
  const Outcome outcome = mgdm("launch -n 2 -- " + recipe("mgdm") +
                               " training.steps=2 --seeds 3 --out " + path("runs"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* seed : {"seed-1", "seed-2", "seed-3"})
    EXPECT_TRUE(fs::exists(path("runs") + "/" + seed + "/checkpoint-2/DONE"));
  EXPECT_MENTIONS(outcome.out, "| held_out_loss");
}

TEST_F(ConnectedLaunch, ResumesBitForBit) {
  const std::string words = "launch -n 2 -- " + recipe("mgdm");
  ASSERT_EQ(mgdm(words + "--out " + path("whole")).code, 0);
  ASSERT_EQ(
      mgdm(words + "--out " + path("cut") + " training.checkpoint_every=4 training.keep=10").code,
      0);
  fs::remove_all(path("cut/checkpoint-8"));
  fs::remove_all(path("cut/checkpoint-12"));
  const Outcome resumed = mgdm(words + "--resume --out " + path("cut"));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  for (const std::string file : {"model.safetensors", "optimizer.safetensors"})
    EXPECT_EQ(read_file(path("whole/checkpoint-12/" + file)),
              read_file(path("cut/checkpoint-12/" + file)));
}

TEST_F(ConnectedLaunch, OnOneCoreEachProcessHasOneThread) {
  const Outcome outcome = mgdm("launch -n 2 -- " + recipe("mgdm") +
                                   " training.steps=1 evaluation.count=0 --out " + path("run"),
                               "env -u OMP_NUM_THREADS taskset -c 0");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(read_file(path("run/env.json")))["threads"], "1");
}

TEST_F(ConnectedLaunch, AProcessThatIsKilledEndsTheOthers) {
  for (const std::size_t rank : {0u, 1u}) {
    const std::string out = "run" + std::to_string(rank);
    BackgroundProcess launch(exec("launch -n 2 -- " + endless(out)), path("err"));
    ASSERT_TRUE(training_is_under_way(out)) << read_file(path("err"));
    const std::vector<pid_t> children = launch.children();
    ASSERT_EQ(children.size(), 2u);
    ::kill(children[rank], SIGKILL);
    EXPECT_EQ(launch.wait(30), 1);
    EXPECT_NE(read_file(path("err"))
                  .find("rank " + std::to_string(rank) + " of 2 was killed by signal 9"),
              std::string::npos)
        << read_file(path("err"));
    for (const pid_t child : children) EXPECT_NE(::kill(child, 0), 0);
  }
}

TEST_F(ConnectedLaunch, WithoutTheLauncherAKilledPeerIsAnError) {
  BackgroundProcess first(variables(2) + " RANK=0 " + exec(endless("run")), path("err"));
  BackgroundProcess second(variables(2) + " RANK=1 " + exec(endless("run")), path("err1"));
  ASSERT_TRUE(training_is_under_way("run")) << read_file(path("err"));
  second.send(SIGKILL);
  EXPECT_EQ(first.wait(30), 1);
  EXPECT_NE(read_file(path("err")).find("rank 0 lost another process"), std::string::npos)
      << read_file(path("err"));
}

// As `srun -n 2` would start them: without these variables each would train alone.
TEST_F(ConnectedLaunch, SlurmsVariablesAreUnderstood) {
  const std::string job = "SLURM_JOB_ID=" + std::to_string(::getpid()) +
                          " SLURM_NTASKS=2 SLURM_STEP_NODELIST=localhost SLURM_PROCID=";
  const std::string words = recipe("mgdm") + "--quiet --out " + path("run");
  BackgroundProcess second(job + "1 SLURM_LOCALID=1 " + exec(words), path("err1"));
  BackgroundProcess first(job + "0 SLURM_LOCALID=0 " + exec(words), path("err"));
  EXPECT_EQ(first.wait(60), 0) << read_file(path("err"));
  EXPECT_EQ(second.wait(60), 0) << read_file(path("err1"));
  const auto facts = nlohmann::json::parse(read_file(path("run/env.json")));
  EXPECT_EQ(facts["processes"], "2");
}

TEST_F(Launch, WhoDoesNotNoticeAFailureIsAskedOnceToStop) {
  // These know nothing of each other, and take longer to stop than the launcher to look again.
  ASSERT_EQ(mgdm(recipe("mgdm") + "--out " + path("run")).code, 0);
  ASSERT_EQ(mgdm("generate planning --nodes 3 --count 10000 --out " + path("data.jsonl")).code, 0);
  BackgroundProcess launch(exec("launch -n 2 -- eval --batch 20 --steps 100 --model " +
                                path("run/checkpoint-12") + " --data " + path("data.jsonl")),
                           path("err"));
  ASSERT_TRUE(BackgroundProcess::wait_until(30, [&] {
    return fs::exists(path("err")) &&
           read_file(path("err")).find("evaluating") != std::string::npos;
  }));
  ::kill(launch.children()[1], SIGKILL);
  EXPECT_EQ(launch.wait(30), 1);
  EXPECT_NE(read_file(path("err")).find("interrupted"), std::string::npos)
      << read_file(path("err"));
}

TEST_F(ConnectedLaunch, QuietShowsNothingButErrors) {
  const Outcome good = mgdm("launch -n 2 --quiet -- " + recipe("mgdm") + "--out " + path("run"));
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.out + good.err, "");
  const Outcome wrong = mgdm("launch -n 2 --quiet -- trian");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("rank 0: mgdm: unknown command"), std::string::npos) << wrong.err;
}

TEST_F(ConnectedLaunch, AProcessThatNeverStartsIsNamed) {
  const std::string words = variables(2) + " MGDM_RENDEZVOUS_SECONDS=2 RANK=";
  BackgroundProcess first(words + "0 " + exec(endless("run")), path("err"));
  EXPECT_EQ(first.wait(30), 1);
  EXPECT_NE(read_file(path("err")).find("rank 0 of 2 waited 2 s for rank 1\n"), std::string::npos)
      << read_file(path("err"));
  BackgroundProcess second(words + "1 " + exec(endless("run")), path("err"));
  EXPECT_EQ(second.wait(30), 1);
  EXPECT_NE(read_file(path("err")).find("rank 1 of 2 could not meet the others"), std::string::npos)
      << read_file(path("err"));
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(Launch, OneProcessNeedsNoVariablesButItsNumber) {
  ::setenv("WORLD_SIZE", "1", 1);
  const Outcome outcome = mgdm(recipe("mgdm") + "--out " + path("run"));
  ::unsetenv("WORLD_SIZE");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(ConnectedLaunch, ASignalToOneSavesOnceAndEndsAll) {
  // -1 is the launcher, which passes it on to both.
  for (const int rank : {-1, 1}) {
    const std::string out = rank < 0 ? "all" : "one";
    BackgroundProcess launch(exec("launch -n 2 -- " + endless(out)), path("err"));
    ASSERT_TRUE(training_is_under_way(out)) << read_file(path("err"));
    if (rank < 0)
      launch.send(SIGINT);
    else
      ::kill(launch.children()[1], SIGTERM);
    EXPECT_EQ(launch.wait(30), 130) << read_file(path("err"));
    EXPECT_EQ(checkpoints(out).size(), 1u);
    EXPECT_NE(read_file(path("err")).find("interrupted at step"), std::string::npos);
  }
  const Outcome resumed =
      mgdm("launch -n 2 -- " + recipe("mgdm") + " training.steps=1 --resume --out " + path("all"));
  EXPECT_EQ(resumed.code, 0) << resumed.err;
}

TEST_F(ConnectedLaunch, TheClockOfTheFirstProcessEndsARunByMinutes) {
  const Outcome outcome =
      mgdm("launch -n 2 -- " + recipe("mgdm") +
           " training.steps=0 training.minutes=0.02 evaluation.count=0 --out " + path("run"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(checkpoints("run").size(), 1u);
}

TEST_F(ConnectedLaunch, EachProcessNeedsAnExample) {
  const Outcome outcome =
      mgdm("launch -n 2 -- " + recipe("mgdm") + " training.batch=1 --out " + path("x"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("training.batch = 1 for 2 processes"), std::string::npos)
      << outcome.err;
  EXPECT_FALSE(fs::exists(path("x")));
}

TEST_F(Launch, MistakesAreNamed) {
  const auto complains = [&](const std::string& words, int code, const std::string& expected) {
    const Outcome outcome = mgdm(words);
    EXPECT_EQ(outcome.code, code) << words;
    EXPECT_NE(outcome.err.find(expected), std::string::npos) << outcome.err;
  };
  complains("launch -n 0 -- train x.toml", 2, "1 to 1024");
  complains("launch -n two -- train x.toml", 2, "integer");
  complains("launch -- train x.toml", 2, "-n is required");
  complains("launch -n 2", 2, "command is required");
  complains("launch -n 2 -- trian", 2, "did you mean 'train'?");
  complains("launch -n 2 -- train nowhere.toml", 1, "of 2 ended with exit status 1");
  EXPECT_FALSE(fs::exists(path("x")));
  ::setenv("WORLD_SIZE", "2", 1);
  complains(recipe("mgdm") + "--out " + path("x"), 1, "RANK is not");
  ::setenv("RANK", "2", 1);
  complains(recipe("mgdm") + "--out " + path("x"), 1, "RANK='2'");
  ::unsetenv("WORLD_SIZE");
  ::unsetenv("RANK");
}

}  // namespace
}  // namespace mgdm
