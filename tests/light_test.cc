// The program without LibTorch beside the full one.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/files.h"
#include "base/text.h"
#include "program_test.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;

class Light : public Program {
 protected:
  Outcome light(const std::string& arguments) const {
    return mgdm(arguments, "MGDM_MODELS='" MGDM_SOURCE_DIR "/models'", "/dev/null",
                MGDM_LIGHT_PROGRAM);
  }
};

#define EXPECT_MENTIONS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << "in: " << (text)

TEST_F(Light, HasTheSameHelp) {
  EXPECT_EQ(light("--help").out, mgdm("--help").out);
  for (const std::string command : {"solve", "eval", "generate", "demo", "export"})
    EXPECT_EQ(light(command + " --help").out, mgdm(command + " --help").out);
}

TEST_F(Light, SaysHowToTrain) {
  for (const std::string words :
       {"train recipes/smoke/mgdm.toml --out x", "launch -n 2 -- train x", "bench signature"}) {
    const Outcome outcome = light(words);
    EXPECT_EQ(outcome.code, 1) << words;
    EXPECT_MENTIONS(outcome.err, "needs LibTorch");
    EXPECT_MENTIONS(outcome.err, "./mgdm");
  }
  const Outcome outcome = light("solve --model quick-planning-mgdm --device cuda '1,2'");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_MENTIONS(outcome.err, "cuda");
}

TEST_F(Light, DemonstratesEveryTaskThatHasAModelAndComparesThePair) {
  const Outcome outcome = light("demo --count 20");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* task : {"\nplanning: ", "\ncountdown-4: ", "\nsudoku: "})
    EXPECT_MENTIONS(outcome.out, task);
  EXPECT_MENTIONS(outcome.out, "step 20");  // of Sudoku, drawn
  EXPECT_MENTIONS(outcome.out, "------+-------+------");
  EXPECT_MENTIONS(outcome.out, "verified: right in 5 passes");
  EXPECT_MENTIONS(outcome.out, "| quick-planning-ar   | left to right |");
  EXPECT_MENTIONS(outcome.out, "| quick-planning-mgdm | by diffusion  |     100 |");
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);  // not a terminal
}

TEST_F(Light, ShowsTheModelsOfAnotherShelf) {
  fs::create_directories(folder_ / "shelf");
  fs::copy(MGDM_SOURCE_DIR "/models/quick-planning-mgdm", folder_ / "shelf/mine");
  fs::create_directories(folder_ / "shelf/broken");
  write_file(folder_ / "shelf/broken/config.json", "{");
  // From a folder without models/ of its own.
  const Outcome outcome = mgdm("demo --quiet", "cd '" + folder_.string() + "' && MGDM_MODELS=shelf",
                               "/dev/null", MGDM_LIGHT_PROGRAM);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_MENTIONS(outcome.out, "(mine, 406.3k parameters)");
  EXPECT_EQ(outcome.out.find("countdown"), std::string::npos);
}

TEST_F(Light, ExportsAndReadsItBack) {
  ASSERT_EQ(light("export --model quick-planning-mgdm --dtype fp32 --out " + path("wide")).code, 0);
  ASSERT_EQ(light("export --model " + path("wide") + " --out " + path("narrow")).code, 0);
  const std::string file = "model.safetensors";
  EXPECT_EQ(read_file(folder_ / "narrow" / file),
            read_file(fs::path(MGDM_SOURCE_DIR "/models/quick-planning-mgdm") / file));
  EXPECT_GT(fs::file_size(folder_ / "wide" / file), 1'600'000u);
  const Outcome again = light("export --model quick-planning-mgdm --out " + path("narrow"));
  EXPECT_EQ(again.code, 1);
  EXPECT_MENTIONS(again.err, "is there already");
}

}  // namespace
}  // namespace mgdm
