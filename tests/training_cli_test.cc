// Trains, resumes, evaluates and solves as a user does, with the recipes of recipes/smoke.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "background_process.h"
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
    const std::string task = name == "looped"   ? "sudoku"
                             : name == "search" ? "search-3"
                                                : "planning";
    ASSERT_EQ(mgdm("generate " + task + (task == "planning" ? " --nodes 3" : "") +
                   " --split test --count 5 --out " + path("test.jsonl"))
                  .code,
              0);
    const Outcome evaluated =
        full_mgdm("eval --model " + out + "/checkpoint-12 --data " + path("test.jsonl") +
                  " --json " + path("score.json") + " --predictions " + path("answers.jsonl"));
    ASSERT_EQ(evaluated.code, 0) << name << ": " << evaluated.err;
    const auto score = nlohmann::json::parse(read_file(path("score.json")));
    EXPECT_EQ(score["n"], 5) << name;
    EXPECT_GT(score["forward_passes"], 0.0) << name;
    EXPECT_TRUE(score.contains("accuracy") && score.contains("accuracy_paper")) << name;
    // What was written verifies to the same score.
    ASSERT_EQ(mgdm("verify " + task + " --data " + path("test.jsonl") + " --predictions " +
                   path("answers.jsonl") + " --json " + path("again.json"))
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
  EXPECT_MENTIONS(resumed.err, "going on from " + path("cut/checkpoint-"));
  EXPECT_EQ(read_file(path("whole/checkpoint-12/model.safetensors")),
            read_file(path("cut/checkpoint-12/model.safetensors")));
  EXPECT_EQ(read_file(path("whole/checkpoint-12/optimizer.safetensors")),
            read_file(path("cut/checkpoint-12/optimizer.safetensors")));
}

// A hundred million puzzles take longer than anybody waits for a message: with them this test ends
// by its time limit.
TEST_F(Training, RefusesBeforeDataAreMade) {
  ASSERT_EQ(train("mgdm", "--out " + path("whole")).code, 0);
  const std::string much = "data.count=100000000 ";
  const auto refused = [&](const std::string& what, const std::string& why) {
    const Outcome outcome = train("mgdm", much + what);
    EXPECT_EQ(outcome.code, 1) << what;
    EXPECT_MENTIONS(outcome.err, why);
  };
  refused("--out " + path("whole"), "holds a run already");
  refused("--resume --out " + path("nothing"), "holds no run to resume");
  refused("'evaluation.files=[\"" + path("nope.jsonl") + "\"]' --out " + path("x"), "nope.jsonl");
  refused("init=" + path("whole/checkpoint-12") + " model.width=24 --out " + path("x"),
          "has width = ");
}

TEST_F(Training, ResumeWarnsOfAnotherNumberOfThreads) {
  const std::string more = "training.steps=2 evaluation.count=0 --out " + path("run");
  ASSERT_EQ(train("mgdm", more + " --threads 2").code, 0);
  EXPECT_EQ(nlohmann::json::parse(read_file(path("run/env.json")))["threads"], "2");
  EXPECT_EQ(train("mgdm", more + " --resume --threads 2").err.find("threads, was"),
            std::string::npos);
  const Outcome fewer = train("mgdm", more + " --resume --threads 1");
  EXPECT_EQ(fewer.code, 0) << fewer.err;
  EXPECT_NE(fewer.err.find("resuming with 1 threads, was 2"), std::string::npos) << fewer.err;
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

// In pieces small enough to travel; what is not a weight in bf16.
TEST_F(Training, CompactShardsResumeCloseToWhereTheyWere) {
  const std::string with = "training.ema=0.9 training.shard_mb=0.03 training.compact_state=true ";
  train_and_cut("cut", with);
  const Outcome resumed = train("mgdm", with + "--resume --out " + path("cut"));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("not bit for bit"), std::string::npos) << resumed.err;
  std::set<std::string> sharded;
  for (const auto& entry : fs::directory_iterator(path("cut/checkpoint-12"))) {
    const std::string name = entry.path().filename().string();
    if (name.find("-of-") == std::string::npos) continue;
    sharded.insert(name.substr(0, name.find('-')));
    EXPECT_LE(fs::file_size(entry.path()), 40000u) << name;
  }
  EXPECT_EQ(sharded, (std::set<std::string>{"model", "raw", "optimizer"}));
  EXPECT_EQ(mgdm("describe " + path("cut/checkpoint-12")).code, 0);
}

TEST_F(Training, EndlessMixturesTrainAndResume) {
  const std::string with =
      "data.endless=true data.length=40 'data.sources=[\"weight=3\", \"nodes=2\"]' "
      "training.log_every=1 ";
  ASSERT_EQ(train("mgdm", with + "--out " + path("whole")).code, 0);
  train_and_cut("cut", with);
  const Outcome resumed = train("mgdm", with + "--resume --out " + path("cut"));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(read_file(path("whole/checkpoint-12/model.safetensors")),
            read_file(path("cut/checkpoint-12/model.safetensors")));
  const Outcome by_epochs =
      train("mgdm", with + "training.steps=0 training.epochs=1 --out " + path("epochs"));
  EXPECT_EQ(by_epochs.code, 2);
  EXPECT_NE(by_epochs.err.find("training.steps"), std::string::npos) << by_epochs.err;
}

// What the run was started with is not forgotten: by its own config.toml it goes on as it was.
TEST_F(Training, ResumeAsksWhereAnOverrideWasForgotten) {
  train_and_cut("cut", "training.batch=6 objective.beta=3 ");
  const std::string config = read_file(path("cut/config.toml"));
  const Outcome asked = train("mgdm", "objective.beta=3 --quiet --resume --out " + path("cut"));
  EXPECT_EQ(asked.code, 2);
  EXPECT_NE(asked.err.find("the run in " + path("cut") + " has training.batch = 6, the recipe "),
            std::string::npos)
      << asked.err;
  EXPECT_EQ(read_file(path("cut/config.toml")), config);
  const std::string within = "cd '" + path("cut") + "' &&";
  for (const Outcome& again :
       {mgdm("train " + path("cut/config.toml")), mgdm("train config.toml", within)}) {
    EXPECT_EQ(again.code, 1);
    EXPECT_NE(again.err.find("--resume to continue it, or another --out"), std::string::npos)
        << again.err;
  }
  EXPECT_EQ(mgdm("train config.toml training.steps=8 --resume", within).code, 0);
  EXPECT_TRUE(fs::exists(path("cut/checkpoint-8")));
  const Outcome resumed =
      mgdm("train " + path("cut/config.toml") + " evaluation.count=0 training.steps=12 --resume");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(fs::exists(path("cut/checkpoint-12")));
  EXPECT_EQ(nlohmann::json::parse(read_file(path("cut/env.json")))["recipe"],
            (kSmoke / "mgdm.toml").string());
}

// A run that is over stays what it says of itself.
TEST_F(Training, ResumeLeavesAFinishedRunAsItIs) {
  ASSERT_EQ(train("mgdm", "training.steps=20 --out " + path("run")).code, 0);
  const std::string config = read_file(path("run/config.toml"));
  const Outcome shorter = train("mgdm", "training.steps=12 --resume --out " + path("run"));
  EXPECT_MENTIONS(shorter.err, path("run/checkpoint-20") + " or before");
  EXPECT_EQ(read_file(path("run/config.toml")), config);
  const Outcome finished =
      train("mgdm", "training.steps=20 objective.beta=3 --resume --out " + path("run"));
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(read_file(path("run/config.toml")), config);
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

TEST_F(Training, EvaluationTakesNoMoreMemoryThanItsPuzzlesNeed) {
  const std::string limit = "ulimit -v 6000000; OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1";
  if (mgdm("tasks", limit).code != 0) GTEST_SKIP() << "the program alone needs more than 6 GB";
  const Outcome trained =
      train("mgdm", "training.steps=1 evaluation.batch=1000000 --out " + path("run"), limit);
  EXPECT_EQ(trained.code, 0) << trained.err;
  const std::string data = path("data.jsonl"), losses = " --losses " + path("l.json"),
                    eval = "eval --steps 1 --batch 1000000 --model " + path("run/checkpoint-1") +
                           " --data " + data;
  const std::string generate = "generate planning --nodes 3 --out " + data + " --count ";
  ASSERT_EQ(mgdm(generate + "5").code, 0);
  for (const std::string& more : {std::string(), losses})
    EXPECT_EQ(mgdm(eval + more, limit).code, 0) << more;
  ASSERT_EQ(mgdm(generate + "400000").code, 0);
  const Outcome outcome = mgdm(eval + losses, limit);  // answering them takes little memory
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("out of memory for 400000 puzzles at a time\n  try: --batch 200000"),
            std::string::npos)
      << outcome.err;
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

// Copies of planning puzzles can be longer than the puzzles themselves.
TEST_F(Training, RowsHoldEveryTwin) {
  const std::string copies =
      "data.augment=true data.nodes=8 data.count=33 data.held_out=1 model.positions=200 "
      "evaluation.count=0 training.steps=100 ";
  const Outcome trained = train("mgdm", copies + "--out " + path("run"));
  EXPECT_EQ(trained.code, 0) << trained.err;
  const Outcome tight = train("mgdm", copies + "data.length=80 --out " + path("x"));
  EXPECT_EQ(tight.code, 2);
  EXPECT_NE(tight.err.find("data.length = 80, but copies of the puzzles have up to"),
            std::string::npos)
      << tight.err;
}

TEST_F(Training, MeasuresAsItGoes) {
  // 32 x 20 examples are trained on for each of 1 that is held out, so every log has a look at it.
  const Outcome outcome = train("mgdm",
                                "data.held_out=1 training.steps=60 training.log_every=20 "
                                "training.evaluate_every=30 --out " +
                                    path("run"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("% of tokens)"), std::string::npos) << outcome.err;
  std::vector<int> watched, evaluated;
  const std::string text = read_file(path("run/metrics.jsonl"));
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const auto metrics = nlohmann::json::parse(line);
    EXPECT_EQ(metrics.contains("held_out_token_accuracy"), metrics.contains("loss")) << line;
    (metrics.contains("loss") ? watched : evaluated).push_back(metrics["step"]);
    EXPECT_EQ(metrics.contains("accuracy_paper"), !metrics.contains("loss")) << line;
    // The cosine's factor of the step itself: cos falls to 0 only after the last.
    if (metrics["step"] == 60 && metrics.contains("loss")) {
      EXPECT_GT(metrics["lr_factor"], 0);
    }
  }
  EXPECT_EQ(watched, (std::vector<int>{20, 40, 60}));
  EXPECT_EQ(evaluated, (std::vector<int>{30, 60}));
}

// All of these puzzles would take many minutes.
TEST_F(Training, AnEvaluationWithAnEndSaysHowManyPuzzlesItSaw) {
  const Outcome outcome =
      train("mgdm",
            "training.steps=0 training.minutes=0.01 evaluation.count=20000 decoding.steps=200 "
            "evaluation.minutes=0.02 --out " +
                path("run"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string text = read_file(path("run/metrics.jsonl"));
  const auto last = nlohmann::json::parse(split(trim(text), '\n').back());
  ASSERT_TRUE(last.contains("puzzles")) << text;
  EXPECT_GE(last["puzzles"], 4);  // what it begins with, however long that takes
  EXPECT_LT(last["puzzles"], 20000);
  EXPECT_LT(last["evaluation_seconds"], 30);
}

TEST_F(Training, WhatWouldStopTheEvaluationIsRefusedAtOnce) {
  write_file(path("test.jsonl"), R"({"input": "10,11/11,12/13,11/11,14-10,12", "output": ""})");
  const Outcome outcome =
      train("mgdm", "'evaluation.files=[\"" + path("test.jsonl") + "\"]' --out " + path("run"));
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("the model reads rows of"), std::string::npos) << outcome.err;
  const Outcome alike = train("search", "decoding.tries=3 --out " + path("run"));
  EXPECT_EQ(alike.code, 2);
  EXPECT_MENTIONS(alike.err, "would all give the same answer");
  EXPECT_EQ(alike.err.find("temperature"), std::string::npos) << alike.err;  // it has none
  EXPECT_EQ(train("mgdm", "'data.alphabet=0123456789,/-00' --out " + path("run")).code, 1);
  EXPECT_EQ(train("mgdm", "model.vocabulary=99 --out " + path("run")).code, 2);
  const Outcome large = train("mgdm", "model.width=65536 model.layers=200 --out " + path("run"),
                              "ulimit -v 30000000;");
  EXPECT_EQ(large.code, 1);
  EXPECT_NE(large.err.find("out of memory for the model"), std::string::npos) << large.err;
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(Training, TwoProcessesDoNotShareAFolder) {
  ASSERT_EQ(train("mgdm", "training.steps=1 evaluation.count=0 --out " + path("run")).code, 0);
  const FileLock held(path("run"));
  const Outcome second = train("mgdm", "training.steps=1 --resume --out " + path("run"));
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("another process works in"), std::string::npos) << second.err;
}

TEST_F(Training, CtrlCEndsAnEvaluationWithinABatch) {
  ASSERT_EQ(train("mgdm", "training.steps=1 evaluation.count=0 --out " + path("run")).code, 0);
  ASSERT_EQ(mgdm("generate planning --nodes 3 --split test --count 500 --out " + path("t")).code,
            0);
  BackgroundProcess process("exec '" + std::string(MGDM_PROGRAM) +
                                "' eval --steps 10000 --batch 500 --model " +
                                path("run/checkpoint-1") + " --data " + path("t"),
                            path("err"));
  std::this_thread::sleep_for(std::chrono::seconds(3));  // it takes minutes
  process.send(SIGINT);
  EXPECT_EQ(process.wait(10), 130) << read_file(path("err"));
}

TEST_F(Training, CtrlCSavesAndResumeGoesOn) {
  const std::string recipe = "'" + (kSmoke / "mgdm.toml").string() + "' ";
  BackgroundProcess process("exec '" + std::string(MGDM_PROGRAM) + "' train " + recipe +
                                "training.steps=100000000 training.log_every=10 --out " +
                                path("run"),
                            path("err"));
  ASSERT_TRUE(
      BackgroundProcess::wait_until(60, [&] { return fs::exists(path("run/metrics.jsonl")); }));
  process.send(SIGINT);
  EXPECT_EQ(process.wait(30), 130) << read_file(path("err"));
  EXPECT_NE(read_file(path("err")).find("interrupted at step"), std::string::npos);
  ASSERT_EQ(checkpoints("run").size(), 1u);
  // The end is behind already, and only the evaluation is missing. It is made up for once.
  for (int i = 0; i < 2; ++i) {
    const Outcome resumed = train("mgdm", "training.steps=1 --resume --out " + path("run"));
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    const std::string metrics = read_file(path("run/metrics.jsonl"));
    const std::size_t first = metrics.find("accuracy_paper");
    EXPECT_NE(first, std::string::npos) << metrics;
    EXPECT_EQ(metrics.find("accuracy_paper", first + 1), std::string::npos) << metrics;
  }
}

// As timeout does: the program, and at once its group. And as a dropped connection does.
TEST_F(Training, ARepeatedSignalAndSighupSaveToo) {
  const std::string recipe = "'" + (kSmoke / "mgdm.toml").string() + "' ";
  for (const auto& [name, signal, times] : {std::tuple("term", SIGTERM, 2), {"hup", SIGHUP, 1}}) {
    const std::string out = name;
    BackgroundProcess process("exec '" MGDM_PROGRAM "' train " + recipe +
                                  "training.steps=100000000 training.log_every=10 --out " +
                                  path(out),
                              path("err"));
    ASSERT_TRUE(BackgroundProcess::wait_until(
        60, [&] { return fs::exists(path(out + "/metrics.jsonl")); }));
    for (int i = 0; i < times; ++i) process.send(signal);
    EXPECT_EQ(process.wait(30), 130) << read_file(path("err"));
    EXPECT_EQ(checkpoints(out).size(), 1u) << name;
  }
}

TEST_F(Training, ResumeRefusesAnotherRun) {
  ASSERT_EQ(train("mgdm", "training.steps=2 evaluation.count=0 --out " + path("run")).code, 0);
  const std::string config = read_file(path("run/config.toml"));
  const Outcome shorter = train("mgdm", "training.steps=1 --resume --out " + path("run"));
  EXPECT_NE(shorter.err.find("resuming with training.steps = 1, was 2\n"), std::string::npos)
      << shorter.err;
  EXPECT_EQ(train("mgdm", "training.steps=2 evaluation.count=0 --resume --out " + path("run")).code,
            0);
  const Outcome other =
      train("mgdm", "training.steps=2 task=countdown-3 data.nodes=6 --resume --out " + path("run"));
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.err.find("has task = \"planning\", not \"countdown-3\""), std::string::npos)
      << other.err;
  EXPECT_EQ(read_file(path("run/config.toml")), config);
  write_file(path("run/checkpoint-2/trainer_state.json"), "{");
  const std::string environment = read_file(path("run/env.json"));
  const Outcome broken =
      train("mgdm", "training.steps=3 --threads 1 --resume --out " + path("run"));
  EXPECT_EQ(broken.code, 1);
  EXPECT_NE(broken.err.find("checkpoint-2/trainer_state.json is damaged"), std::string::npos)
      << broken.err;
  EXPECT_NE(broken.err.find("move " + path("run/checkpoint-2") + " away"), std::string::npos)
      << broken.err;
  EXPECT_EQ(read_file(path("run/config.toml")), config);  // what it was trained by so far
  EXPECT_EQ(read_file(path("run/env.json")), environment);
}

TEST_F(Training, ResumeSaysHowToGoOnBeforeABrokenCheckpoint) {
  const std::string with = "training.checkpoint_every=1 evaluation.count=0 --out " + path("run");
  ASSERT_EQ(train("mgdm", "training.steps=2 " + with).code, 0);
  fs::resize_file(path("run/checkpoint-2/model.safetensors"), 100);
  const Outcome broken = train("mgdm", "training.steps=3 --resume " + with);
  EXPECT_EQ(broken.code, 1);
  EXPECT_NE(broken.err.find("move " + path("run/checkpoint-2") + " away"), std::string::npos)
      << broken.err;
  fs::remove_all(path("run/checkpoint-2"));
  EXPECT_EQ(train("mgdm", "training.steps=3 --resume " + with).code, 0);
  EXPECT_TRUE(fs::exists(path("run/checkpoint-3")));
}

TEST_F(Training, EverySittingIsNoted) {
  const std::string with = "evaluation.count=0 --threads 1 --out " + path("run");
  ASSERT_EQ(train("mgdm", "training.steps=2 " + with).code, 0);
  ASSERT_EQ(train("mgdm", "training.steps=3 --resume " + with).code, 0);
  for (const char* const budget :
       {"training.steps=3", "training.steps=2", "training.steps=0 training.epochs=0.01",
        "training.steps=0 training.minutes=0.000001"}) {
    const Outcome nothing = train("mgdm", budget + (" --resume " + with));
    EXPECT_EQ(nothing.code, 0) << nothing.err;
    EXPECT_MENTIONS(nothing.err, "nothing is left to train: what is asked for ends at " +
                                     path("run/checkpoint-3") + " or before");
  }
  EXPECT_MENTIONS(read_file(path("run/config.toml")), "steps = 3\n");
  std::istringstream lines(read_file(path("run/sittings.jsonl")));
  std::vector<nlohmann::json> sittings;
  for (std::string line; std::getline(lines, line);)
    sittings.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(sittings.size(), 2u);
  EXPECT_EQ(sittings[0]["step"], 0);
  EXPECT_EQ(sittings[0]["threads"], "1");
  EXPECT_EQ(sittings[0]["changes"], nlohmann::json::array());
  EXPECT_EQ(sittings[1]["step"], 2);
  EXPECT_EQ(sittings[1]["changes"], nlohmann::json{"training.steps = 3, was 2"});
}

TEST_F(Training, FromFilesAndFromACheckpoint) {
  ASSERT_EQ(
      mgdm("generate planning --nodes 3 --count 288 --seed 1 --out " + path("data.jsonl")).code, 0);
  const std::string files = "'data.files=[\"" + path("data.jsonl") + "\"]' data.count=0 ";
  ASSERT_EQ(train("mgdm", "--out " + path("generated")).code, 0);
  const Outcome read = train("mgdm", files + "--out " + path("files"));
  ASSERT_EQ(read.code, 0) << read.err;
  EXPECT_EQ(read.err.find("wrong by the rules"), std::string::npos) << read.err;
  // The file holds what the recipe generates.
  EXPECT_EQ(read_file(path("generated/checkpoint-12/model.safetensors")),
            read_file(path("files/checkpoint-12/model.safetensors")));

  std::string text = read_file(path("data.jsonl"));
  const std::string output = "\"output\": \"";
  const std::size_t first = text.find(output) + output.size();
  text.replace(first, text.find('"', first) - first, "1,1");
  write_file(path("data.jsonl"), text);
  const Outcome wrong = train("mgdm", files + "training.steps=1 --out " + path("wrong"));
  EXPECT_EQ(wrong.code, 0) << wrong.err;
  EXPECT_MENTIONS(wrong.err, "1 of 288 answers looked at in data.files are wrong by the rules of");
  EXPECT_MENTIONS(wrong.err, "data.jsonl:1: ");

  // Puzzles of another size than those that it is evaluated on.
  ASSERT_EQ(
      mgdm("generate planning --nodes 2 --count 288 --seed 1 --out " + path("small.jsonl")).code,
      0);
  const Outcome small = train(
      "mgdm", "'data.files=[\"" + path("small.jsonl") +
                  "\"]' data.count=0 training.steps=1 model.positions=64 data.length=48 --out " +
                  path("small"));
  EXPECT_EQ(small.code, 0) << small.err;
  EXPECT_MENTIONS(small.err, "their size is not that of generated ones");

  const std::string init = "init=" + path("generated/checkpoint-12") + " ";
  const std::string still = "optimizer.lr=0 training.steps=1 evaluation.count=0 ";
  const Outcome started = train("mgdm", init + still + "--out " + path("started"));
  ASSERT_EQ(started.code, 0) << started.err;
  const auto weights = [&](const std::string& file) {
    const std::string bytes = read_file(path(file));
    return bytes.substr(bytes.size() / 2);
  };
  EXPECT_EQ(weights("generated/checkpoint-12/model.safetensors"),
            weights("started/checkpoint-1/model.safetensors"));
  const Outcome shuffled =
      train("mgdm", init + "data.alphabet=1023456789,/-+*=abcdefghij --out " + path("x"));
  EXPECT_EQ(shuffled.code, 1);
  EXPECT_NE(shuffled.err.find("was trained on the alphabet"), std::string::npos) << shuffled.err;
}

TEST_F(Training, TheResolvedRecipeIsARecipe) {
  ASSERT_EQ(train("mgdm", "training.steps=3 --out " + path("first")).code, 0);
  const Outcome again = mgdm("train " + path("first/config.toml") + " --out " + path("second"));
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read_file(path("first/checkpoint-3/model.safetensors")),
            read_file(path("second/checkpoint-3/model.safetensors")));
}

// The contract of eval: its flags, what it prints, what its JSON holds.
TEST_F(Training, EvalDecodesAsTheRecipeSaidUnlessAskedOtherwise) {
  const std::string data = path("test.jsonl");
  ASSERT_EQ(mgdm("generate planning --nodes 3 --split test --count 5 --out " + data).code, 0);
  const auto passes = [&](const std::string& run, const std::string& flags) {
    const Outcome outcome = mgdm("eval --model " + path(run) + "/checkpoint-1 --data " + data +
                                 " --json " + path("score.json") + flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto score = nlohmann::json::parse(read_file(path("score.json")));
    if (run == "run") {
      EXPECT_EQ(score["settings"]["decoding"], "margin");
    }
    return score["forward_passes"].get<double>();
  };
  const std::string once = "training.steps=1 evaluation.count=0 ";
  ASSERT_EQ(
      train("mgdm", once + "decoding.steps=3 decoding.order=margin --out " + path("run")).code, 0);
  EXPECT_EQ(passes("run", ""), 3);
  EXPECT_EQ(passes("run", " --steps 20"), 20);  // the flag's own default, but asked for
  EXPECT_EQ(passes("run", " --no-early-stop"), 3);
  // A teacherless model has only ever seen whole answers hidden: one pass, nothing to ask for.
  ASSERT_EQ(train("teacherless", once + "--out " + path("whole")).code, 0);
  EXPECT_EQ(passes("whole", ""), 1);
  const auto refusal = [&](const std::string& flags) {
    const Outcome outcome =
        mgdm("eval --model " + path("whole") + "/checkpoint-1 --data " + data + flags);
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_NE(refusal(" --steps 20").find("--steps changes nothing"), std::string::npos);
  EXPECT_EQ(passes("whole", " --tries 3"), 1);  // of the first try; others are of other forms
}

TEST_F(Training, OnCudaAlsoGoesOnBitForBit) {
  // A width that our kernels take.
  const std::string more =
      "training.device=cuda training.deterministic=true model.width=128 model.heads=4";
  const Outcome whole = train("mgdm", more + " --out " + path("whole"));
  if (whole.err.find("LibTorch for the CPU") != std::string::npos ||
      whole.err.find("there is no device") != std::string::npos)
    GTEST_SKIP() << "no CUDA device";
  ASSERT_EQ(whole.code, 0) << whole.err;
  train_and_cut("cut", more);
  ASSERT_EQ(train("mgdm", more + " --resume --out " + path("cut")).code, 0);
  EXPECT_EQ(read_file(path("whole/checkpoint-12/model.safetensors")),
            read_file(path("cut/checkpoint-12/model.safetensors")));
}

TEST_F(Training, ExportWritesTheModelAlone) {
  ASSERT_EQ(train("looped", "training.steps=1 evaluation.count=0 --out " + path("run")).code, 0);
  const std::string full = path("run/checkpoint-1"), half = path("half");
  const auto bytes = [](const std::string& folder) {
    return std::filesystem::file_size(folder + "/model.safetensors");
  };
  const Outcome outcome = mgdm("export --model " + full + " --out " + half);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LT(bytes(half), 0.6 * static_cast<double>(bytes(full)));
  EXPECT_FALSE(std::filesystem::exists(half + "/optimizer.safetensors"));
  EXPECT_NE(mgdm("describe " + half).out.find("BF16"), std::string::npos);
  // It still knows its task, its layout and how it is decoded.
  const std::string puzzle(81, '0');
  EXPECT_EQ(mgdm("solve --quiet --model " + half + " " + puzzle).out.size(), 82u);
  const Outcome again = mgdm("export --model " + full + " --out " + half);
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.err.find("is there already"), std::string::npos) << again.err;
}

TEST_F(Training, EvalSaysAllThatWasAsked) {
  ASSERT_EQ(train("mgdm", "--out " + path("run")).code, 0);
  const std::string data = path("test.jsonl"), model = path("run/checkpoint-12");
  ASSERT_EQ(mgdm("generate planning --nodes 3 --split test --count 30 --out " + data).code, 0);
  const std::string eval = "eval --model " + model + " --data " + data;
  const Outcome outcome = mgdm(
      eval + " --limit 20 --steps 3 --decoding random --tries 4 --batch 7" +
      " --device cpu --json " + path("score.json") + " --predictions " + path("answers.jsonl"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"accuracy_paper %", "planning distance 2", "what went wrong",
                           "forward passes per puzzle", "with up to 4 tries until one verifies"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in " << outcome.out;
  const auto score = nlohmann::json::parse(read_file(path("score.json")));
  EXPECT_EQ(score["task"], "planning");
  EXPECT_EQ(score["n"], 20);
  for (const char* number : {"accuracy", "accuracy_paper", "stderr", "stderr_paper",
                             "forward_passes", "samples_per_second"})
    EXPECT_TRUE(score[number].is_number()) << number;
  EXPECT_FALSE(score["errors"].empty());
  EXPECT_TRUE(score["errors_by_place"].is_object());
  EXPECT_FALSE(score["accuracy_by_planning_distance"].empty());
  EXPECT_TRUE(score.contains("git_revision"));
  EXPECT_EQ(score["settings"]["decoding"], "random");
  EXPECT_EQ(score["settings"]["steps"], 3);
  EXPECT_EQ(score["settings"]["batch"], 7);
  EXPECT_EQ(score["settings"]["limit"], 20);
  EXPECT_EQ(score["settings"]["model"], model);
  EXPECT_FALSE(score["settings"].contains("json"));
  EXPECT_EQ(score["best_of_tries"]["tries"], 4);
  EXPECT_GE(score["best_of_tries"]["accuracy"], score["accuracy"]);
  EXPECT_GE(score["best_of_tries"]["forward_passes"], score["forward_passes"]);
  EXPECT_EQ(split(read_file(path("answers.jsonl")), '\n').size(), 21u);

  // A single try says nothing of restarts, and answers the same.
  ASSERT_EQ(mgdm(eval + " --limit 20 --steps 3 --decoding random --json " + path("one.json")).code,
            0);
  const auto one = nlohmann::json::parse(read_file(path("one.json")));
  EXPECT_FALSE(one.contains("best_of_tries"));
  EXPECT_EQ(one["accuracy"], score["accuracy"]);
  EXPECT_EQ(one["errors"], score["errors"]);

  EXPECT_EQ(mgdm(eval + " --json " + path("x") + " --predictions " + path("x")).code, 2);
  EXPECT_EQ(mgdm(eval + " --predictions " + data).code, 2);
  EXPECT_EQ(split(read_file(data), '\n').size(), 31u);
  const Outcome run = mgdm("eval --model " + path("run") + " --data " + data);
  EXPECT_EQ(run.code, 0) << "the newest checkpoint of a run is its model: " << run.err;

  const Outcome unknown = mgdm(eval + " --decoding topq");
  EXPECT_EQ(unknown.code, 2);
  for (const char* name : {"topk", "random", "margin", "threshold", "entropy"})
    EXPECT_NE(unknown.err.find(name), std::string::npos) << unknown.err;
  const Outcome order = mgdm(eval + " --order random");  // its name in a recipe
  EXPECT_EQ(order.code, 2);
  EXPECT_NE(order.err.find("did you mean '--decoding'?"), std::string::npos) << order.err;
  EXPECT_EQ(mgdm(eval + " --steps 0").code, 2);
  EXPECT_EQ(mgdm(eval + " --device abacus").code, 2);
}

TEST_F(Training, EvalMeasuresLosses) {
  const std::string data = path("test.jsonl");
  ASSERT_EQ(mgdm("generate planning --nodes 3 --split test --count 12 --out " + data).code, 0);
  for (const std::string kind : {"mgdm", "ar"}) {
    ASSERT_EQ(train(kind, "--out " + path(kind)).code, 0);
    const std::string eval = "eval --model " + path(kind + "/checkpoint-12") + " --data " + data;
    const Outcome outcome = mgdm(eval + " --steps 5 --losses " + path("losses.json") +
                                 " --figure " + path("losses.svg"));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("hardest positions"), std::string::npos) << outcome.out;
    const std::string figure = read_file(path("losses.svg"));
    EXPECT_MENTIONS(figure, "planning distance 2");
    EXPECT_MENTIONS(figure, kind == "ar" ? "position in the answer" : "noise level t");
    const auto losses = nlohmann::json::parse(read_file(path("losses.json")));
    const std::size_t levels = kind == "ar" ? 1 : 5, positions = losses["positions"];
    EXPECT_EQ(losses["n"], 12);
    EXPECT_EQ(losses["levels"], levels);
    EXPECT_EQ(losses["loss_by_level"].size(), levels);
    EXPECT_EQ(losses["token_accuracy_by_level"].size(), levels);
    EXPECT_EQ(losses["loss_by_position"].size(), positions);
    ASSERT_EQ(losses["loss_by_level_and_position"].size(), levels);
    for (const auto& row : losses["loss_by_level_and_position"]) EXPECT_EQ(row.size(), positions);
    EXPECT_EQ(losses.contains("loss_left_to_right"), kind == "mgdm");
    EXPECT_EQ(losses["loss_at_subgoal_by_level"].size(), levels);
    EXPECT_EQ(losses.contains("loss_at_subgoal_by_context"), kind == "mgdm");
    if (kind == "mgdm") {
      EXPECT_EQ(losses["loss_at_subgoal_by_context"].size(), 4u);
      EXPECT_NE(outcome.out.find("loss of the hard subgoal"), std::string::npos) << outcome.out;
    }
    EXPECT_TRUE(losses["by_planning_distance"].contains("2"));
    EXPECT_TRUE(losses.contains("git_revision"));
    // The 12 steps of a smoke run leave a loss between knowing nothing (ln 31) and knowing all.
    EXPECT_GT(losses["loss"], 0.1);
    EXPECT_LT(losses["loss"], 3.5);
    EXPECT_EQ(mgdm(eval + " --losses x.json --json y.json").code, 2);
    EXPECT_EQ(mgdm(eval + " --figure x.svg").code, 2);
  }
}

TEST_F(Training, SeedsAreTrainedOneAfterTheOtherAndSummarised) {
  const std::string more = "training.steps=3 --seeds 3 --out " + path("runs");
  const Outcome outcome = train("mgdm", more);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::vector<double> losses;
  for (const std::string seed : {"1", "2", "3"}) {
    const std::string metrics = read_file(path("runs/seed-" + seed + "/metrics.jsonl"));
    const auto at = metrics.rfind("\"held_out_loss\":");
    ASSERT_NE(at, metrics.npos);
    losses.push_back(std::stod(metrics.substr(at + 16)));
    EXPECT_MENTIONS(read_file(path("runs/seed-" + seed + "/config.toml")), "\nseed = " + seed);
  }
  const double mean = (losses[0] + losses[1] + losses[2]) / 3;
  double squares = 0;
  for (const double loss : losses) squares += (loss - mean) * (loss - mean);
  EXPECT_MENTIONS(outcome.out, fmt::format("| {:.4f} ± {:.4f} |", mean, std::sqrt(squares / 2)));
  EXPECT_MENTIONS(outcome.out, "| accuracy_paper");
  EXPECT_EQ(train("mgdm", more).code, 1) << "the folders hold runs";
  fs::remove_all(path("runs/seed-3"));  // what was interrupted is resumed or begun
  const Outcome resumed = train("mgdm", more + " --resume");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(outcome.out.substr(outcome.out.find("| metric")),
            resumed.out.substr(resumed.out.find("| metric")));
}

TEST_F(Training, CompareShowsRunsSideBySide) {
  const std::string more = "training.steps=4 training.checkpoint_every=2 --out ";
  ASSERT_EQ(train("mgdm", "objective.beta=1 " + more + path("one")).code, 0);
  const Outcome two = train("mgdm", "objective.beta=2 " + more + path("two"));
  ASSERT_EQ(two.code, 0);
  EXPECT_MENTIONS(two.err, "best checkpoint by held_out_loss (");
  const Outcome compared = mgdm("compare " + path("one") + " " + path("two/best") + " --figure " +
                                path("curves.svg") + " --metric loss");
  ASSERT_EQ(compared.code, 0) << compared.err;
  for (const char* part : {"held-out loss", " at 4 |", "| objective.beta | 1.0", "| 2.0"})
    EXPECT_MENTIONS(compared.out, part);
  EXPECT_EQ(compared.out.find("objective.alpha"), std::string::npos) << "the runs have the same";
  const std::string figure = read_file(path("curves.svg"));
  EXPECT_MENTIONS(figure, "/one<");
  EXPECT_MENTIONS(figure, "/two/best<");
  EXPECT_EQ(mgdm("compare").code, 2);
  EXPECT_EQ(mgdm("compare " + path("one") + " --metric beauty").code, 2);
  const Outcome nothing = mgdm("compare " + path("one") + " " + path("nowhere"));
  EXPECT_EQ(nothing.code, 1);
  EXPECT_MENTIONS(nothing.err, "has no history");
}

TEST_F(Training, SolveSudokuLines) {
  ASSERT_EQ(train("looped", "--out " + path("run")).code, 0);
  const std::string solve = "solve --quiet --model " + path("run/checkpoint-12");
  const std::string digits =
      "214075000006030459009040020060007143000090600020600007300009000080000905690583000";
  std::string dots = digits;
  for (char& c : dots)
    if (c == '0') c = '.';
  const Outcome by_digits = mgdm(solve + " " + digits), by_dots = mgdm(solve + " " + dots);
  EXPECT_EQ(by_digits.code, 1);  // twelve steps teach nothing: the answer is not verified
  EXPECT_EQ(by_digits.out, by_dots.out);
  EXPECT_EQ(by_digits.out.size(), 82u);
  // Givens stay; a file may have comments and further columns, or be CSV or JSONL.
  for (std::size_t i = 0; i < 81; ++i)
    if (digits[i] != '0') {
      EXPECT_EQ(by_digits.out[i], digits[i]);
    }
  write_file(path("lines.txt"), "# a collection\n" + dots + " 1.2\n\n" + digits + "\n");
  const Outcome from_file = mgdm(solve + " --input " + path("lines.txt"));
  EXPECT_EQ(from_file.code, 1) << from_file.err;
  EXPECT_EQ(from_file.out.substr(0, 82), by_digits.out);
  EXPECT_EQ(from_file.out.size(), 164u);
  // Wrong ones are named.
  const Outcome letter = mgdm(solve + " q" + digits.substr(1));
  EXPECT_EQ(letter.code, 1);
  EXPECT_NE(letter.err.find("'q'"), std::string::npos) << letter.err;
  EXPECT_EQ(mgdm(solve + " " + digits + "1").code, 1);
  EXPECT_EQ(mgdm(solve + " " + digits + " --steps 0").code, 2);
  EXPECT_EQ(mgdm(solve).code, 2);
  EXPECT_EQ(mgdm(solve + " --input " + path("missing")).code, 1);
  write_file(path("f.cnf"), "p cnf 5 1\n1 2 3 0\n");
  const Outcome formula = mgdm(solve + " --input " + path("f.cnf"));
  EXPECT_EQ(formula.code, 1);
  EXPECT_NE(formula.err.find("is a DIMACS formula"), std::string::npos) << formula.err;
}

TEST_F(Training, SolveDimacs) {
  ASSERT_EQ(train("mgdm",
                  "task=sat-5 data.nodes=6 data.count=40 data.held_out=8 data.length=258 "
                  "model.positions=258 training.steps=2 evaluation.count=0 --out " +
                      path("run"))
                .code,
            0);
  const std::string solve = "solve --model " + path("run/checkpoint-2") + " --input ";
  write_file(path("f.cnf"), "c from a user\np cnf 5 2\n1 -2 5 0\n-1 -3 2 0\n");
  const Outcome unknown = mgdm(solve + path("f.cnf") + " --show");
  EXPECT_EQ(unknown.code, 0) << unknown.err;  // two steps of training solve nothing
  EXPECT_NE(unknown.out.find("\ns UNKNOWN\n"), std::string::npos) << unknown.out;
  for (const std::string_view line : split(unknown.out, '\n'))
    EXPECT_TRUE(line.empty() || line.starts_with("c ") || line.starts_with("s ")) << line;
  EXPECT_EQ(mgdm(solve + "- --quiet", "", path("f.cnf")).out, "s UNKNOWN\n");
  write_file(path("g.cnf"), "p cnf 7 1\n1 -2 5 0\n");
  const Outcome other = mgdm(solve + path("g.cnf"));
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.err.find("the formula has 7 variables"), std::string::npos) << other.err;
}

TEST_F(Training, PuzzlesLongerThanTheModelsRowsAreNamed) {
  ASSERT_EQ(train("mgdm", "training.steps=1 evaluation.count=0 --out " + path("run")).code, 0);
  const Outcome outcome = mgdm("solve --model " + path("run/checkpoint-1") +
                               " '6,2/2,10/1,9/2,0/5,3/0,11/4,1/10,4/8,2/11,5-8,3'");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("has 47 characters"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("the model reads rows of"), std::string::npos) << outcome.err;
  // The puzzle alone has room.
  write_file(path("test.jsonl"), R"({"input": "0,1/1,2-0,2", "output": "0,1/1,2/2,3/3,4/4,5"})");
  const Outcome answer =
      mgdm("eval --model " + path("run/checkpoint-1") + " --data " + path("test.jsonl"));
  EXPECT_EQ(answer.code, 1);
  EXPECT_NE(answer.err.find("and its answer 19"), std::string::npos) << answer.err;
}

TEST_F(Training, HelpListsWhatARecipeCanSay) {
  const Outcome help = mgdm("train --help");
  EXPECT_EQ(help.code, 0);
  for (const char* key : {"objective.train_shown = false", "training.log_every = 0",
                          "model.frozen_embedding = false", "optimizer.lr"})
    EXPECT_NE(help.out.find(key), std::string::npos) << key;
}

// A file of strings is all that the task `text` needs. Its held-out lines measure accuracy.
TEST_F(Training, OwnTextIsLearnedFromAFile) {
  std::string lines;
  for (const char a : std::string("abcd"))
    for (const char b : std::string("abcd"))
      for (const char c : std::string("abcd"))
        lines += std::string{a, b, c} + "\tÄ" + std::string{c, b, a} + "\n";
  write_file(path("mine.tsv"), lines);
  const std::string train_it =
      "train '" + (fs::path(MGDM_SOURCE_DIR) / "recipes/text.toml").string() +
      "' training.device=cpu data.held_out=4 model.loops=2 training.batch=60";
  const Outcome trained = mgdm(train_it + " training.steps=80 data.files=" + path("mine.tsv") +
                               " --out " + path("run"));
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_MENTIONS(trained.err, "60 examples of 9 tokens");
  EXPECT_MENTIONS(read_file(path("run/config.toml")), "alphabet = \"abcdÄ\"");
  EXPECT_MENTIONS(read_file(path("run/metrics.jsonl")), "\"accuracy\":");

  const Outcome solved = mgdm("solve --quiet abc dcb --model " + path("run"));
  EXPECT_EQ(solved.out, "Äcba\nÄbcd\n");
  EXPECT_MENTIONS(mgdm("solve abz --model " + path("run")).err,
                  "character 'z' of 'abz' has no token");
  EXPECT_MENTIONS(mgdm("solve abcdabcdabcd --model " + path("run")).err, "has 12 characters");
  write_file(path("named.jsonl"),
             "{\"nums\": \"abc\", \"target\": [\"no\", \"Äcba\"]}\n{\"nums\": \"abd\", "
             "\"target\": \"no\"}\n");
  const Outcome score = mgdm("eval --model " + path("run") + " --keys nums=target --data " +
                             path("named.jsonl") + " --json -");
  EXPECT_EQ(nlohmann::json::parse(score.out)["accuracy"], 0.5) << score.err;
  EXPECT_MENTIONS(mgdm("eval --model " + path("run")).err, "--data FILE");

  // The verifier ignores the labels and accepts every answer that begins with Äc.
  write_file(path("judge.sh"),
             "while read -r q; do case $q in *'\"answer\":\"Äc'*) echo '{\"score\": 1}';; "
             "*) echo '{\"score\": 0, \"why\": \"no c\"}';; esac; done\n");
  const std::string verifier = " --verifier 'sh " + path("judge.sh") + "'";
  const Outcome judged = mgdm("eval --model " + path("run") + " --keys nums=target --data " +
                              path("named.jsonl") + " --json -" + verifier);
  EXPECT_EQ(nlohmann::json::parse(judged.out)["accuracy"], 0.5) << judged.err;
  EXPECT_MENTIONS(mgdm("solve abc --model " + path("run") + verifier).err, "text: verified");
  const Outcome refused = mgdm("solve abd --model " + path("run") + verifier);
  EXPECT_MENTIONS(refused.err, "  no c\n");
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(mgdm("solve --model sudoku --verifier cat " + std::string(81, '0')).code, 2);

  // A resumed run keeps its alphabet and refuses other characters.
  EXPECT_EQ(mgdm(train_it + " training.steps=81 --resume data.files=" + path("mine.tsv") +
                 " --out " + path("run"))
                .code,
            0);
  write_file(path("mine.tsv"), lines + "e\te\n");
  EXPECT_MENTIONS(mgdm(train_it + " training.steps=82 --resume data.files=" + path("mine.tsv") +
                       " --out " + path("run"))
                      .err,
                  "mine.tsv:65: character 'e' of 'e' has no token");
}

TEST_F(Training, SolveAndDescribe) {
  ASSERT_EQ(train("mgdm", "--out " + path("run")).code, 0);
  const std::string model = path("run/checkpoint-12");
  const Outcome solved = mgdm("solve --model " + model + " '0,1/1,2/3,1/1,4-0,2' --json");
  const auto json = nlohmann::json::parse(solved.out);
  EXPECT_EQ(solved.code, json["verified"].get<bool>() ? 0 : 1) << solved.err;
  EXPECT_GT(json["passes"], 0);
  const Outcome tries = mgdm("solve --model " + model + " '0,1/1,2/3,1/1,4-0,2' --tries 3 --json");
  EXPECT_GE(nlohmann::json::parse(tries.out)["passes"], json["passes"]);
  EXPECT_EQ(mgdm("solve --model " + model + " 'nonsense'").code, 1);
  EXPECT_EQ(mgdm("solve --model " + model + " '0,1/1,2/3,1/1,4-0,2' --steps 0").code, 2);
  EXPECT_EQ(mgdm("solve --model " + path("nowhere") + " '0,1-0,1'").code, 1);
  const Outcome described = mgdm("describe " + model);
  EXPECT_NE(described.out.find("transformer.wte.weight"), std::string::npos);
}

}  // namespace
}  // namespace mgdm
