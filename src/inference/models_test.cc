#include "inference/models.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/error.h"

namespace mgdm::inference {
namespace {

namespace fs = std::filesystem;

class FindModel : public ::testing::Test {
 protected:
  FindModel() : empty_(fs::path(::testing::TempDir()) / ("mgdm" + std::to_string(::getpid()))) {
    fs::create_directories(empty_);
  }
  ~FindModel() override { fs::remove_all(empty_); }

  static std::string error_of(const std::string& name, const fs::path& place) {
    try {
      return find_model(name, place);
    } catch (const Error& error) {
      return error.what();
    }
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  const fs::path models_ = MGDM_SOURCE_DIR "/models";
  const fs::path empty_;
};

TEST_F(FindModel, SaysWhereItLookedForAName) {
  EXPECT_EQ(find_model("sudoku", models_), (models_ / "sudoku").string());
  const std::string error = error_of("no-such-name", empty_);
  EXPECT_TRUE(contains(error, "no model 'no-such-name' in ")) << error;
  EXPECT_TRUE(contains(error, empty_.string())) << error;
  EXPECT_TRUE(contains(error, "MGDM_MODELS=FOLDER")) << error;
  const std::string near = error_of("sudko", models_);
  EXPECT_TRUE(contains(near, "did you mean 'sudoku'?")) << near;
}

// A name longer than file systems take stands for a place that cannot be looked at: root may look
// at all others.
TEST_F(FindModel, PassesOverPlacesThatCannotBeLookedAt) {
  const std::string endless(300, 'x');
  ::setenv("MGDM_MODELS", (empty_ / endless).c_str(), 1);
  EXPECT_EQ(find_model("sudoku", models_), (models_ / "sudoku").string());
  ::setenv("MGDM_MODELS", "", 1);  // is none
  EXPECT_FALSE(contains(error_of("no-such-name", empty_), "in ,"));
  ::unsetenv("MGDM_MODELS");
  EXPECT_TRUE(contains(error_of(endless, empty_), "there is no model 'x")) << "as a name";
  EXPECT_FALSE(contains(error_of("./" + endless, empty_), "there is no model")) << "as a path";
}

TEST_F(FindModel, TheFolderOfARunIsItsNewestCheckpoint) {
  fs::create_directories(empty_ / "checkpoint-2/DONE");
  fs::create_directories(empty_ / "checkpoint-4/DONE");
  EXPECT_EQ(find_model(empty_.string(), models_), (empty_ / "checkpoint-4").string());
  fs::create_directories(empty_ / "checkpoint-8");
  const std::string cut = error_of(empty_.string(), models_);
  EXPECT_TRUE(cut.ends_with("checkpoint-8 is newer, but incomplete)")) << cut;
}

TEST_F(FindModel, SaysWhatAPathLacks) {
  const std::string bare = error_of(empty_.string(), models_);
  EXPECT_TRUE(contains(bare, "there is no config.json in " + empty_.string())) << bare;
  EXPECT_FALSE(contains(bare, "sudoku")) << bare;
  const std::string missing = error_of((empty_ / "gone").string(), models_);
  EXPECT_TRUE(contains(missing, "there is no folder " + (empty_ / "gone").string())) << missing;
  EXPECT_FALSE(contains(missing, "sudoku")) << missing;
}

}  // namespace
}  // namespace mgdm::inference
