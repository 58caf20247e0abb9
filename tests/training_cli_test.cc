// Trains, resumes, evaluates and solves as a user does, with the recipes of recipes/smoke.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files.h"
#include "base/text.h"
#include "program_test.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

const fs::path kSmoke = fs::path(MGDM_SOURCE_DIR) / "recipes/smoke";

class Training : public Program {
 protected:
  Outcome train(const std::string& recipe, const std::string& more) const {
    return mgdm("train '" + (kSmoke / (recipe + ".toml")).string() + "' " + more);
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
  // The schedule must know the whole length, so the interrupted run is cut by hand: its last
  // checkpoints are removed and it goes on from step 4.
  ASSERT_EQ(
      train("mgdm", "--out " + path("cut") + " training.checkpoint_every=4 training.keep=10").code,
      0);
  fs::remove_all(path("cut/checkpoint-8"));
  fs::remove_all(path("cut/checkpoint-12"));
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

  ASSERT_EQ(
      train("mgdm", with + "--out " + path("cut") + " training.checkpoint_every=4 training.keep=10")
          .code,
      0);
  fs::remove_all(path("cut/checkpoint-8"));
  fs::remove_all(path("cut/checkpoint-12"));
  const Outcome resumed = train("mgdm", with + "--resume --out " + path("cut"));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  for (const std::string name : {"model.safetensors", "raw.safetensors", "optimizer.safetensors"})
    EXPECT_EQ(file("whole/checkpoint-12/" + name), file("cut/checkpoint-12/" + name)) << name;
  EXPECT_EQ(mgdm("describe " + path("cut/checkpoint-12")).code, 0);
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
