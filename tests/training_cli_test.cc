// Trains, resumes, evaluates and solves as a user does, with the recipes of recipes/smoke.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "program_test.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

const fs::path kSmoke = fs::path(MGDM_SOURCE_DIR) / "recipes/smoke";

class Training : public Program {
 protected:
  Outcome train(const std::string& recipe, const std::string& more,
                const std::string& before = "") const {
    return mgdm("train '" + (kSmoke / (recipe + ".toml")).string() + "' " + more, before);
  }

  // A run of 12 steps with a checkpoint every 4, cut off after step 4.
  void train_and_cut(const std::string& out, const std::string& more = "") const {
    ASSERT_EQ(train("mgdm",
                    "training.checkpoint_every=4 training.keep=10 " + more + " --out " + path(out))
                  .code,
              0);
    fs::remove_all(path(out + "/checkpoint-8"));
    fs::remove_all(path(out + "/checkpoint-12"));
  }

  // All that begins so, whole and broken ones.
  std::vector<std::string> checkpoints(const std::string& out) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path(out)))
      if (entry.path().filename().string().find("checkpoint") != std::string::npos)
        names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(Training, EverySmokeRecipeTrainsSavesLoadsAndAnswers) {
  std::size_t recipes = 0;
  for (const auto& entry : fs::directory_iterator(kSmoke)) {
    const std::string name = entry.path().stem();
    if (name == "common") continue;
    ++recipes;
    const std::string out = path(name);
    const Outcome trained = train(name, "--out " + out);
    ASSERT_EQ(trained.code, 0) << name << ": " << trained.err;
    const std::string task = name == "looped" ? "sudoku" : "planning --nodes 3";
    ASSERT_EQ(mgdm("generate " + task + " --split test --count 5 --out " + path("test.jsonl")).code,
              0);
    const Outcome evaluated =
        mgdm("eval --model " + out + "/checkpoint-12 --data " + path("test.jsonl") +
             " --steps 3 --json " + path("score.json") + " --predictions " + path("answers.jsonl"));
    ASSERT_EQ(evaluated.code, 0) << name << ": " << evaluated.err;
    const auto score = nlohmann::json::parse(read_file(path("score.json")));
    EXPECT_EQ(score["n"], 5) << name;
    EXPECT_GT(score["forward_passes"], 0.0) << name;
    EXPECT_TRUE(score.contains("accuracy") && score.contains("accuracy_paper")) << name;
    // What was written verifies to the same score.
    ASSERT_EQ(mgdm("verify " + std::string(name == "looped" ? "sudoku" : "planning") + " --data " +
                   path("test.jsonl") + " --predictions " + path("answers.jsonl") + " --json " +
                   path("again.json"))
                  .code,
              0);
    EXPECT_EQ(nlohmann::json::parse(read_file(path("again.json")))["accuracy"], score["accuracy"]);
  }
  EXPECT_GE(recipes, 8u);
}

TEST_F(Training, ResumeContinuesBitForBit) {
  ASSERT_EQ(train("mgdm", "--out " + path("whole")).code, 0);
  // The schedule must know the whole length, so the interrupted run is cut by hand.
  train_and_cut("cut");
  const Outcome resumed = train("mgdm", "--resume --out " + path("cut"));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(read_file(path("whole/checkpoint-12/model.safetensors")),
            read_file(path("cut/checkpoint-12/model.safetensors")));
  EXPECT_EQ(read_file(path("whole/checkpoint-12/optimizer.safetensors")),
            read_file(path("cut/checkpoint-12/optimizer.safetensors")));
  EXPECT_EQ(train("mgdm", "--out " + path("whole")).code, 1);             // holds a run already
  EXPECT_EQ(train("mgdm", "--resume --out " + path("nothing")).code, 1);  // holds none
}

TEST_F(Training, AveragedWeightsAreSavedAndResumeBitForBit) {
  const std::string with = "training.ema=0.9 ";
  ASSERT_EQ(train("mgdm", with + "--out " + path("whole")).code, 0);
  ASSERT_EQ(train("mgdm", "--out " + path("plain")).code, 0);
  const auto file = [&](const std::string& name) { return read_file(path(name)); };
  // Training itself takes no notice of the average, and what is saved as the model is the average.
  EXPECT_EQ(file("whole/checkpoint-12/optimizer.safetensors"),
            file("plain/checkpoint-12/optimizer.safetensors"));
  EXPECT_NE(file("whole/checkpoint-12/model.safetensors"),
            file("plain/checkpoint-12/model.safetensors"));
  EXPECT_FALSE(fs::exists(path("plain/checkpoint-12/raw.safetensors")));

  train_and_cut("cut", with);
  const Outcome resumed = train("mgdm", with + "--resume --out " + path("cut"));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  for (const std::string name : {"model.safetensors", "raw.safetensors", "optimizer.safetensors"})
    EXPECT_EQ(file("whole/checkpoint-12/" + name), file("cut/checkpoint-12/" + name)) << name;
  EXPECT_EQ(mgdm("describe " + path("cut/checkpoint-12")).code, 0);
}

TEST_F(Training, DivergenceKeepsTheLastGoodCheckpoint) {
  train_and_cut("run");
  // Nothing is logged before the end, so it is the checkpoint that must notice.
  const Outcome outcome =
      train("mgdm",
            "optimizer.lr=1e30 training.log_every=1000 training.checkpoint_every=4 "
            "training.keep=1 --resume --out " +
                path("run"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("training has diverged: at step 8"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("the last good checkpoint is " + path("run/checkpoint-4")),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(checkpoints("run"), std::vector<std::string>{"checkpoint-4"});
  const Outcome logged =
      train("mgdm", "optimizer.lr=1e30 training.log_every=1 --resume --out " + path("run"));
  EXPECT_EQ(logged.code, 1);
  EXPECT_NE(logged.err.find("the loss is"), std::string::npos) << logged.err;
}

TEST_F(Training, AFullDiskLeavesTheLastCheckpoint) {
  train_and_cut("run");
  const std::string whole = read_file(path("run/checkpoint-4/model.safetensors"));
  // Files of at most 20 to 40 KiB, by the shell's idea of a block; the weights have 63 KiB.
  const Outcome outcome =
      train("mgdm", "training.checkpoint_every=4 training.keep=1 --resume --out " + path("run"),
            "trap '' XFSZ; ulimit -f 40;");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("step 8 is not saved: cannot write"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find(path("run/checkpoint-4") + ", which is intact"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(checkpoints("run"), std::vector<std::string>{"checkpoint-4"});
  EXPECT_EQ(read_file(path("run/checkpoint-4/model.safetensors")), whole);
  EXPECT_EQ(train("mgdm", "--resume --out " + path("run")).code, 0);
}

TEST_F(Training, OutOfMemoryNamesTheBatch) {
  const std::string limit = "ulimit -v 6000000; OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1";
  if (mgdm("tasks", limit).code != 0) GTEST_SKIP() << "the program alone needs more than 6 GB";
  const Outcome outcome = train("mgdm", "training.batch=1000000 --out " + path("run"), limit);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("out of memory for a step with training.batch = 1000000"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("training.accumulate"), std::string::npos);
}

TEST_F(Training, OverridesAndMistakes) {
  EXPECT_EQ(train("mgdm", "training.steps=2 evaluation.count=0 --out " + path("short")).code, 0);
  EXPECT_TRUE(fs::exists(path("short/checkpoint-2/DONE")));
  Outcome outcome = train("mgdm", "objective.betta=2 --out " + path("x"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("did you mean 'objective.beta'?"), std::string::npos) << outcome.err;
  EXPECT_EQ(train("mgdm", "training.epochs=1 --out " + path("x")).code, 2);  // two budgets
  EXPECT_EQ(train("mgdm", "model.heads=3 --out " + path("x")).code, 2);
  EXPECT_EQ(train("mgdm", "model.positions=8 --out " + path("x")).code, 2);
  EXPECT_FALSE(fs::exists(path("x")));
}

TEST_F(Training, SolveAndDescribe) {
  ASSERT_EQ(train("mgdm", "--out " + path("run")).code, 0);
  const std::string model = path("run/checkpoint-12");
  const Outcome solved = mgdm("solve --model " + model + " '0,1/1,2/3,1/1,4-0,2' --json");
  EXPECT_EQ(solved.code, 0) << solved.err;
  const auto json = nlohmann::json::parse(solved.out);
  EXPECT_TRUE(json["verified"].is_boolean());
  EXPECT_GT(json["passes"], 0);
  EXPECT_EQ(mgdm("solve --model " + model + " '0,1/1,2/3,1/1,4-0,2' --tries 3 --quiet").code, 0);
  EXPECT_EQ(mgdm("solve --model " + model + " 'nonsense'").code, 1);
  EXPECT_EQ(mgdm("solve --model " + model + " '0,1/1,2/3,1/1,4-0,2' --steps 0").code, 2);
  EXPECT_EQ(mgdm("solve --model " + path("nowhere") + " '0,1-0,1'").code, 1);
  const Outcome described = mgdm("describe " + model);
  EXPECT_NE(described.out.find("transformer.wte.weight"), std::string::npos);
}

}  // namespace
}  // namespace mgdm
