#include "training/run_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "base/error.h"
#include "base/files.h"

namespace mgdm::training {
namespace {

namespace fs = std::filesystem;

class RunFolders : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(path_); }
  void TearDown() override { fs::remove_all(path_); }

  std::string text(const std::string& name) const { return read_file(path_ / name); }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(path_))
      found.insert(entry.path().filename().string());
    return found;
  }
  static void fill(const fs::path& folder) { write_file((folder / "x").string(), "1"); }

  const fs::path path_ =
      fs::temp_directory_path() / ("mgdm_run_folder_" + std::to_string(::getpid()));
};

TEST_F(RunFolders, MetricsStandInTwoFiles) {
  RunFolder folder(path_, false);
  folder.log(1, {{"loss", 0.5}, {"epoch", 2}});
  folder.log(2, {{"loss", 0.25}});
  EXPECT_EQ(text("metrics.jsonl"),
            "{\"step\":1,\"loss\":0.5,\"epoch\":2.0}\n{\"step\":2,\"loss\":0.25}\n");
  for (const std::string& name : names())
    if (name.starts_with("events.out.tfevents.")) {
      EXPECT_NE(text(name).find("loss"), std::string::npos);
      EXPECT_NE(text(name).find("epoch"), std::string::npos);
      return;
    }
  FAIL() << "no events";
}

TEST_F(RunFolders, RewindForgetsWhatCameLaterAndWhatIsBroken) {
  RunFolder folder(path_, false);
  for (const int step : {4, 8, 12}) folder.log(step, {{"loss", step}, {"accuracy", 1}});
  write_file((path_ / "metrics.jsonl").string(), text("metrics.jsonl") + "{\"step\":3,\"lo");
  folder.rewind(8);
  EXPECT_EQ(text("metrics.jsonl"),
            "{\"step\":4,\"loss\":4.0,\"accuracy\":1.0}\n"
            "{\"step\":8,\"loss\":8.0,\"accuracy\":1.0}\n");
}

TEST_F(RunFolders, KnowsWhatWasLogged) {
  RunFolder folder(path_, false);
  EXPECT_EQ(folder.last_step_with("loss"), std::nullopt);
  folder.log(4, {{"loss", 1}});
  folder.log(8, {{"loss", 1}});
  folder.log(8, {{"accuracy", 1}});
  folder.log(12, {{"accuracy", 1}});
  EXPECT_EQ(folder.last_step_with("loss"), 8);
  EXPECT_EQ(folder.last_step_with("accuracy"), 12);
  EXPECT_EQ(folder.last_step_with("epoch"), std::nullopt);
}

TEST_F(RunFolders, AFullDiskNamesTheReasonAndTheLastCheckpoint) {
  RunFolder folder(path_, false);
  folder.write_checkpoint(4, 1, fill);
  fs::create_symlink("/dev/full", path_ / "metrics.jsonl");
  try {
    folder.log(5, {{"loss", 1}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.seen(), fmt::format("cannot write {}: No space left on device",
                                        (path_ / "metrics.jsonl").string()));
    EXPECT_NE(error.hint().find("checkpoint-4"), std::string::npos) << error.hint();
  }
}

TEST_F(RunFolders, AMetricsFileThatCannotBeOpenedSaysWhy) {
  RunFolder folder(path_, false);
  const auto error = [&]() -> std::string {
    try {
      folder.log(5, {{"loss", 1}});
      return "";
    } catch (const Error& refused) {
      return refused.seen();
    }
  };
  const fs::path file = path_ / "metrics.jsonl";
  fs::create_directories(file);
  EXPECT_TRUE(error().ends_with("metrics.jsonl: Is a directory")) << error();
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_TRUE(error().ends_with("metrics.jsonl: No such device or address")) << error();
}

TEST_F(RunFolders, ALineOfSittingsThatWasCutIsLeftOut) {
  RunFolder folder(path_, false);
  folder.log_sitting(0, {{"version", "1"}}, {});
  const std::string line = text("sittings.jsonl");
  write_file((path_ / "sittings.jsonl").string(), line + line.substr(0, 9));
  folder.log_sitting(0, {{"version", "1"}}, {});
  EXPECT_EQ(text("sittings.jsonl"), line + line);
}

TEST_F(RunFolders, RemovesWhatAKillLeftOfPruning) {
  RunFolder(path_, false).write_config("x = 1\n");
  fs::create_directories(path_ / "checkpoint-4.tmp");
  RunFolder folder(path_, true);
  EXPECT_FALSE(fs::exists(path_ / "checkpoint-4.tmp"));
  folder.write_checkpoint(8, 1, fill);
  EXPECT_EQ(model_files::newer_incomplete(path_), std::nullopt);
  fs::create_directories(path_ / "checkpoint-12");
  EXPECT_EQ(model_files::newer_incomplete(path_), path_ / "checkpoint-12");
}

TEST_F(RunFolders, TheNewestCheckpointsStay) {
  RunFolder folder(path_, false);
  EXPECT_EQ(folder.newest_checkpoint(), std::nullopt);
  for (const int step : {8, 9, 10, 11}) folder.write_checkpoint(step, 2, fill);
  EXPECT_EQ(folder.newest_checkpoint(), path_ / "checkpoint-11");
  EXPECT_FALSE(fs::exists(path_ / "checkpoint-8"));
  EXPECT_FALSE(fs::exists(path_ / "checkpoint-9"));
  EXPECT_EQ(text("checkpoint-10/x"), "1");
  // One that was not finished is none.
  fs::remove(path_ / "checkpoint-11/DONE");
  EXPECT_EQ(folder.newest_checkpoint(), path_ / "checkpoint-10");
}

TEST_F(RunFolders, CheckpointsAreNamedByTheirSteps) {
  EXPECT_EQ(model_files::checkpoint_step("runs/x/checkpoint-12"), 12);
  EXPECT_EQ(model_files::checkpoint_step("checkpoint-0"), 0);
  for (const char* name : {"checkpoint--4", "checkpoint-", "checkpoint-4.tmp", "checkpoints-4",
                           "checkpoint-99999999999999999999"})
    EXPECT_EQ(model_files::checkpoint_step(name), std::nullopt) << name;
}

TEST_F(RunFolders, OneThatFailsLeavesTheOthers) {
  RunFolder folder(path_, false);
  folder.write_checkpoint(4, 1, fill);
  try {
    folder.write_checkpoint(8, 1, [](const fs::path&) { throw Error("the disk is full"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("step 8 is not saved: the disk is full"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(folder.newest_checkpoint(), path_ / "checkpoint-4");
  for (const std::string& name : names()) EXPECT_FALSE(name.starts_with("checkpoint-8")) << name;
}

TEST_F(RunFolders, HoldsOneRun) {
  EXPECT_THROW(RunFolder(path_, /*resume=*/true), Error);
  RunFolder(path_, false).write_config("x = 1\n");
  EXPECT_THROW(RunFolder(path_, false), Error);
  EXPECT_NO_THROW(RunFolder(path_, true));
}

}  // namespace
}  // namespace mgdm::training
