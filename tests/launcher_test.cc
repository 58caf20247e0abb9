// ./mgdm, the script, and how the program that it builds finds the other one, mgdm-train. The
// checkout is made up: its builds are stand-ins that note how they were called.
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
    for (const char* const folder : {"src", "include", "cmake", "scripts", "build/release"})
      fs::create_directories(folder_ / folder);
    for (const char* const file : {"CMakeLists.txt", "CMakePresets.json", "calls"})
      write_file(path(file), "");
    fs::create_directory_symlink(MGDM_SOURCE_DIR "/recipes", path("recipes"));
    fs::copy_file(MGDM_SOURCE_DIR "/mgdm", path("mgdm"));
    fs::copy_file(MGDM_SOURCE_DIR "/scripts/build.sh", path("scripts/build.sh"));
    script("scripts/setup.sh", "echo \"setup $*\" >>'" + path("calls") + "'");
    // In place of cmake and ninja, which it calls in a folder of a build.
    fs::create_directories(folder_ / "tools");
    script("tools/cmake", "exit 0");
    script("tools/ninja", "echo \"build $(basename $2) ${@: -1}\" >>'" + path("calls") +
                              "'\n"
                              "cp '" +
                              path("program") + "' \"$2/${@: -1}\"");
    script("program", "echo \"$(basename \"$0\") $*\" >>'" + path("calls") + "'\nexec cat");
  }

  void script(const std::string& name, const std::string& text) const {
    write_file(path(name), "#!/usr/bin/env bash\n" + text + "\n");
    fs::permissions(path(name), fs::perms::owner_all);
  }

  // The real program where the script has built its stand-in.
  void put_program() const {
    fs::create_directories(folder_ / "build/light");
    fs::copy_file(MGDM_LIGHT_PROGRAM, path("build/light/mgdm"),
                  fs::copy_options::overwrite_existing);
  }

  Outcome call(const std::string& program, const std::string& words,
               const std::string& input = "/dev/null") const {
    return mgdm(words, "PATH='" + path("tools") + "':$PATH", input, program);
  }
  Outcome launch(const std::string& words) const { return call(path("mgdm"), words); }
  Outcome light(const std::string& words, const std::string& input = "/dev/null") const {
    return call(path("build/light/mgdm"), words, input);
  }

  // Since the last time that was asked.
  std::string calls() const {
    const std::string all = read_file(path("calls"));
    write_file(path("calls"), "");
    return all;
  }
};

const std::string kSmoke = "train '" MGDM_SOURCE_DIR "/recipes/smoke/mgdm.toml'";
const std::string kSmokeCalls = "mgdm-train train " MGDM_SOURCE_DIR "/recipes/smoke/mgdm.toml\n";
const std::string kFull = "setup full\nbuild release mgdm-train\n";

TEST_F(Launcher, BuildsTheProgramOnceAndRunsIt) {
  EXPECT_EQ(launch("demo --seed 2").code, 0);
  EXPECT_EQ(calls(), "setup light\nbuild light mgdm\nmgdm demo --seed 2\n");
  launch("train x");
  EXPECT_EQ(calls(), "mgdm train x\n");
  write_file(path("src/newer.cc"), "");
  fs::last_write_time(path("src/newer.cc"),
                      fs::file_time_type::clock::now() + std::chrono::hours(1));
  launch("tasks");
  EXPECT_EQ(calls(), "setup light\nbuild light mgdm\nmgdm tasks\n");
}

TEST_F(Launcher, BuildsTheFullProgramForWhatNeedsLibTorch) {
  put_program();
  EXPECT_EQ(light("tasks").code, 0);
  EXPECT_EQ(light("reproduce statistics --limit 1 --out " + path("results")).code, 0);
  EXPECT_EQ(calls(), "");
  EXPECT_EQ(light(kSmoke).code, 0);
  EXPECT_EQ(calls(), kFull + kSmokeCalls);
  light(kSmoke);
  EXPECT_EQ(calls(), kSmokeCalls);  // built once
  light("launch -n 2 -- train x");
  EXPECT_EQ(calls(), "mgdm-train launch -n 2 -- train x\n");
  light("reproduce planning --plan");
  EXPECT_EQ(calls(), "mgdm-train reproduce planning --plan\n");
  light("eval --model quick-planning-mgdm --data x --losses y");
  EXPECT_EQ(calls(), "mgdm-train eval --model quick-planning-mgdm --data x --losses y\n");
}

TEST_F(Launcher, TellsASlipBeforeAnythingIsBuilt) {
  put_program();
  for (const std::string words :
       {"train r.tml", "launch --procs 2", "eval --device cuda --modle x", "bench trian",
        "solve --device cuda --modle x", "reproduce planing"}) {
    EXPECT_NE(light(words).code, 0) << words;
    EXPECT_EQ(calls(), "") << words;
  }
}

TEST_F(Launcher, LeavesWhatIsSentToTheFullProgram) {
  put_program();
  write_file(path("puzzles"), "1,2,3,6\n");
  const Outcome outcome =
      light("eval --model quick-planning-mgdm --data - --losses y", path("puzzles"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "1,2,3,6\n");
}

TEST_F(Launcher, FindsTheFullProgramBesideItself) {
  put_program();
  fs::rename(path("build/light"), path("bin"));
  fs::copy_file(path("program"), path("bin/mgdm-train"));
  EXPECT_EQ(call(path("bin/mgdm"), kSmoke).code, 0);
  EXPECT_EQ(calls(), kSmokeCalls);
}

TEST_F(Launcher, LeavesTheFullProgramAloneWhereThereIsNoGpu) {
  if (fs::exists("/dev/nvidia0")) GTEST_SKIP() << "a GPU is here";
  put_program();
  fs::copy_file(path("program"), path("build/release/mgdm-train"));
  EXPECT_EQ(light("solve --model nowhere 1,2").code, 1);  // by the program without LibTorch
  EXPECT_EQ(calls(), "");
}

TEST_F(Launcher, SaysThatABuildFailed) {
  put_program();
  script("tools/ninja", "echo 'no space left' >&2; exit 1");
  const Outcome outcome = light(kSmoke);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_MENTIONS(outcome.err, "no space left");
  EXPECT_MENTIONS(outcome.err, "mgdm-train could not be built");
}

TEST_F(Launcher, HintsNameTheProgramAsItIsCalled) {
  put_program();
  EXPECT_MENTIONS(light("solve --nosuch").err, "try: mgdm solve --help\n");
  script("run", "cd '" + path("build/light") + "' && exec ./mgdm \"$@\"");
  EXPECT_MENTIONS(call(path("run"), "solve --nosuch").err, "try: ./mgdm solve --help\n");
  EXPECT_MENTIONS(call(path("run"), "solve --help").out, "\n  ./mgdm solve ");
}

}  // namespace
}  // namespace mgdm
