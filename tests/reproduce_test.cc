// mgdm reproduce and mgdm report, as the program without LibTorch has them.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "background_process.h"
#include "base/files.h"
#include "base/text.h"
#include "program_test.h"

namespace mgdm {
namespace {

class Reproduce : public Program {
 protected:
  // In a folder of its own, where results/ and runs/ are.
  Outcome light(const std::string& arguments) const {
    return mgdm(arguments,
                "cd '" + folder_.string() +
                    "' && MGDM_MODELS='" MGDM_SOURCE_DIR "/models' MGDM_RECIPES='" MGDM_SOURCE_DIR
                    "/recipes'",
                "/dev/null", lone_program());
  }
};

TEST_F(Reproduce, ListsPlansAndRefusesOthers) {
  const Outcome list = light("reproduce --list");
  ASSERT_EQ(list.code, 0) << list.err;
  for (const char* name :
       {"| shipped ", "| shipped-loops ", "| countdown ", "| ablation ", "| sizes "})
    EXPECT_MENTIONS(list.out, name);
  for (const std::string_view line : split(list.out, '\n'))
    if (line.starts_with("| hard-subgoal ")) {
      EXPECT_MENTIONS(line, "trained models");
    }
  EXPECT_EQ(light("reproduce").code, 2);
  EXPECT_MENTIONS(light("reproduce shiped").err, "did you mean 'shipped'?");
  EXPECT_EQ(light("reproduce sizes --budget 20").code, 2);
  EXPECT_EQ(light("reproduce sizes --weights llama-7b").code, 2);
  EXPECT_MENTIONS(light("reproduce sizes --weights llama-7b=nowhere").err,
                  "no config.json in nowhere");
  const Outcome files = light("reproduce sizes --files nowhere");
  EXPECT_EQ(files.code, 2);
  EXPECT_MENTIONS(files.err, "--files: nowhere is no folder");
}

TEST_F(Reproduce, WritesTablesAndThePage) {
  EXPECT_EQ(light("report").code, 1);  // nothing yet
  const Outcome sizes = light("reproduce sizes");
  ASSERT_EQ(sizes.code, 0) << sizes.err;
  EXPECT_MENTIONS(sizes.out, "| parameters, millions |");
  EXPECT_EQ(read_file(path("results/sizes/sizes.md")) + "\n", sizes.out);
  const auto json = nlohmann::json::parse(read_file(path("results/sizes/sizes.json")));
  EXPECT_EQ(json["rows"][3]["values"][2]["ours"], 1024);
  const Outcome scaling = light("reproduce scaling");
  ASSERT_EQ(scaling.code, 0) << scaling.err;
  EXPECT_MENTIONS(scaling.out, "95.6");
  EXPECT_MENTIONS(scaling.out, "not trained yet: mgdm train");
  EXPECT_MENTIONS(scaling.out, "built without LibTorch");
  const Outcome llama = light("reproduce planning-sizes");
  ASSERT_EQ(llama.code, 0) << llama.err;
  EXPECT_MENTIONS(llama.out, "needs the weights: --weights llama-7b=DIR");
  EXPECT_MENTIONS(light("reproduce scaling --plan").out, "this program cannot train");
  const Outcome training = light("reproduce shipped-training");
  ASSERT_EQ(training.code, 0) << training.err;
  EXPECT_MENTIONS(training.out, "| sat-9: ");
  const Outcome report = light("report");
  ASSERT_EQ(report.code, 0) << report.err;
  EXPECT_MENTIONS(report.out, "report.html: 4 tables");
  const std::string page = read_file(path("report.html"));
  EXPECT_MENTIONS(page, "Countdown-4: scaling of model and data");
  EXPECT_MENTIONS(page, "data:image/svg+xml,");
  EXPECT_MENTIONS(page, "minutes%20of%20training");
}

// Also where no --budget was given: what is answered is not answered again.
TEST_F(Reproduce, CtrlCKeepsThePuzzlesThatAreAnswered) {
  const std::string command = "cd '" + folder_.string() +
                              "' && MGDM_MODELS='" MGDM_SOURCE_DIR
                              "/models' exec " MGDM_LIGHT_PROGRAM " reproduce shipped-errors";
  // How long the first answers take is for the machine to say.
  for (double seconds = 0.5; seconds < 100; seconds *= 2) {
    std::filesystem::remove_all(path("results"));
    BackgroundProcess process(command, path("stderr"));
    ASSERT_TRUE(process.wait_until(60, [&] { return process.handles(SIGINT); }));
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    process.send(SIGINT);
    ASSERT_EQ(process.wait(120), 130) << read_file(path("stderr"));
    if (!std::filesystem::exists(path("results/cells"))) continue;
    for (const auto& entry : std::filesystem::directory_iterator(path("results/cells"))) {
      const auto json = nlohmann::json::parse(read_file(entry.path()));
      if (!json.contains("partial")) continue;
      EXPECT_EQ(json["partial"]["answers"].size(), json["n"]);
      EXPECT_GT(json["n"], 0);
      return;
    }
  }
  FAIL() << "nothing was kept";
}

}  // namespace
}  // namespace mgdm
