// ./mgdm, the script: which program it builds and runs, and what it asks the small one before it
// builds the other. Both programs and their builds are stand-ins that say how they were called.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "program_test.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

class Launcher : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    for (const char* const folder : {"src", "include", "cmake", "scripts"})
      fs::create_directories(folder_ / folder);
    for (const char* const file : {"CMakeLists.txt", "CMakePresets.json", "calls", "typed"})
      write_file(path(file), "");
    fs::copy_file(MGDM_SOURCE_DIR "/mgdm", path("mgdm"));
    script("scripts/setup.sh", "echo \"setup $*\" >>'" + path("calls") + "'");
    script("scripts/build.sh", "echo \"build $*\" >>'" + path("calls") + "'\nmkdir -p '" +
                                   path("build") + "'/$1\ncp '" + path("program") + "' '" +
                                   path("build") + "'/$1/$2");
    // The small one says $SAYS and exits with $CODE; asked to solve, and neither told a puzzle nor
    // sent one, it calls that a wrong command line. The other repeats what is sent.
    script("program", "echo \"$(basename \"$0\") $*\" >>'" + path("calls") +
                          "'\n"
                          "[ \"$(basename \"$0\")\" = mgdm-light ] || exec cat\n"
                          "[ \"$*\" != 'solve --device cuda' ] || [ -p /dev/stdin ] || exit 2\n"
                          "cat >'" +
                          path("typed") +
                          "'\n"
                          "echo \"${SAYS:-}\"\n"
                          "exit ${CODE:-0}");
  }

  void script(const std::string& name, const std::string& text) const {
    write_file(path(name), "#!/usr/bin/env bash\n" + text + "\n");
    fs::permissions(path(name), fs::perms::owner_all);
  }

  // As after a first command that needs the small program only.
  void build_light() const {
    ASSERT_EQ(mgdm("tasks", "", "/dev/null", path("mgdm")).code, 0);
    write_file(path("calls"), "");
  }

  Outcome launch(const std::string& words, const std::string& before = "",
                 const std::string& input = "/dev/null") const {
    return mgdm(words, before, input, path("mgdm"));
  }
  // Since the last time that was asked.
  std::string calls() const {
    const std::string all = read_file(path("calls"));
    write_file(path("calls"), "");
    return all;
  }
};

const std::string kFull = "setup full\nbuild release mgdm\n";

TEST_F(Launcher, BuildsTheSmallProgramOnceAndRunsIt) {
  EXPECT_EQ(launch("demo --seed 2").code, 0);
  EXPECT_EQ(calls(), "setup light\nbuild light mgdm-light\nmgdm-light demo --seed 2\n");
  for (const std::string words : {"solve 1,2,3,6", "eval --model x --device cpu", "train",
                                  "train --help", "reproduce", "reproduce shipped", "bench"}) {
    EXPECT_EQ(launch(words, "CODE=3").code, 3) << words;
    EXPECT_EQ(calls(), "mgdm-light " + words + "\n");
  }
}

// Words of the environment are nobody's options.
TEST_F(Launcher, TakesNothingFromVariablesOfItsCaller) {
  build_light();
  EXPECT_EQ(launch("eval --limit 3", "losses=yes last=--device=cuda model=x").code, 0);
  EXPECT_EQ(calls(), "mgdm-light eval --limit 3\n");
}

// As the small one does by $MGDM_LAUNCHER where a model needs the other.
TEST_F(Launcher, RunsTheOtherWhereTheSmallOneAsksForIt) {
  build_light();
  script("build/light/mgdm-light", "MGDM_PROGRAM=full exec \"$MGDM_LAUNCHER\" \"$@\"");
  EXPECT_EQ(launch("eval --model=x").code, 0);
  EXPECT_EQ(calls(), kFull + "mgdm eval --model=x\n");
}

TEST_F(Launcher, BuildsTheOtherForWhatNeedsLibTorch) {
  build_light();
  const std::string asked = "SAYS='it needs LibTorch' CODE=1";
  EXPECT_EQ(launch("train r.toml seed=2", asked).code, 0);
  EXPECT_EQ(calls(), "mgdm-light train r.toml seed=2\n" + kFull + "mgdm train r.toml seed=2\n");
  EXPECT_EQ(launch("train r.toml", asked).code, 0);
  EXPECT_EQ(calls(), "mgdm train r.toml\n");  // once built, it is asked alone
}

TEST_F(Launcher, TellsASlipBeforeAnythingIsBuilt) {
  build_light();
  for (const std::string words : {"train r.tml", "launch --procs 2", "eval --device cuda --modle x",
                                  "solve --device cuda --modle x", "reproduce planing"}) {
    const Outcome outcome = launch(words, "SAYS='did you mean this?' CODE=2");
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(outcome.err, "did you mean this?\n");
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(calls().find("build"), std::string::npos) << words;
  }
}

TEST_F(Launcher, AsksReproduceForNothingButItsPlan) {
  build_light();
  launch("reproduce planning --out", "SAYS='a plan'");
  EXPECT_EQ(calls(), "mgdm-light reproduce --plan planning --out\n" + kFull +
                         "mgdm reproduce planning --out\n");
}

TEST_F(Launcher, LeavesWhatIsSentToTheOther) {
  build_light();
  write_file(path("puzzles"), "1,2,3,6\n");
  const Outcome outcome =
      launch("solve --device cuda", "SAYS='there is no puzzle' CODE=1", path("puzzles"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "1,2,3,6\n");
  EXPECT_EQ(read_file(path("typed")), "");
  EXPECT_EQ(calls(), "mgdm-light solve --device cuda\n" + kFull + "mgdm solve --device cuda\n");
}

TEST_F(Launcher, BelievesASmallProgramThatIsUpToDateOnly) {
  build_light();
  write_file(path("src/newer.cc"), "");
  fs::last_write_time(path("src/newer.cc"),
                      fs::file_time_type::clock::now() + std::chrono::hours(1));
  launch("train r.toml", "SAYS='no such option' CODE=2");
  EXPECT_EQ(calls(), kFull + "mgdm train r.toml\n");
}

}  // namespace
}  // namespace mgdm
