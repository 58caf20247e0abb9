// The steps of CONTRIBUTING.md are all that adding an order of decoding or a task takes. The
// program here has both (additions/): an order, which is a function and a row in a copy of
// orders.cc, and a task, which is a folder and a line in a copy of families.inc.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "program_test.h"

namespace mgdm {
namespace {

class Additions : public Program {
 protected:
  Outcome run(const std::string& arguments) const {
    return mgdm(arguments, "MGDM_MODELS='" MGDM_SOURCE_DIR "/models'", "/dev/null",
                MGDM_PROGRAM_WITH_ADDITIONS);
  }
  static constexpr const char* kPuzzle =
      "solve --model quick-planning-mgdm '3,5/4,7/1,0/6,2/5,1/2,4-3,0' --decoding from_the_end";
};

TEST_F(Additions, AnOrderDecodesAndIsInHelpAndErrors) {
  EXPECT_MENTIONS(run("solve --help").out, "from_the_end: reveal");
  EXPECT_MENTIONS(run("solve --decoding nosuch x").err, "from_the_end");
  // One token a pass, from the end: no pass shows anything before something that is hidden.
  const Outcome shown = run(std::string(kPuzzle) + " --steps 40 --show --revise off");
  EXPECT_NE(shown.code, 2) << shown.err;
  EXPECT_MENTIONS(shown.err + shown.out, "passes");
}

TEST_F(Additions, AnOrderRefusesSettingsThatItDoesNotRead) {
  const Outcome outcome = run(std::string(kPuzzle) + " --noise 1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_MENTIONS(outcome.err, "--noise changes nothing");
}

TEST_F(Additions, ATaskIsListedGeneratedAndVerified) {
  EXPECT_MENTIONS(run("tasks").out, "write digits in order");
  EXPECT_MENTIONS(run("generate sor").err, "did you mean 'sort'?");
  EXPECT_MENTIONS(run("generate --help").out, "sort: digits per puzzle");
  EXPECT_MENTIONS(run("generate sort --digits 21").err, "1 to 20");
  EXPECT_MENTIONS(run("generate sudoku --digits 4").err, "sudoku has no option digits");
  const Outcome made = run("generate sort --digits 4 --count 2");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(std::ranges::count(made.out, '\n'), 2);
  write_file(path("data.jsonl"), "{\"input\": \"3142\"}\n{\"input\": \"21\"}\n");
  write_file(path("answers.jsonl"), "{\"output\": \"1234\"}\n{\"output\": \"21\"}\n");
  const Outcome judged = run("verify sort --data '" + path("data.jsonl") + "' --predictions '" +
                             path("answers.jsonl") + "' --explain 1");
  EXPECT_MENTIONS(judged.out + judged.err, "not in order");
  EXPECT_MENTIONS(judged.out + judged.err, "50.0");
}

TEST_F(Additions, ATaskIsTrainedAndSolved) {
  write_file(path("sort.toml"),
             "task = \"sort\"\n[data]\ncount = 64\ndigits = 4\n[objective]\nkind = \"mgdm\"\n"
             "[model]\nlayers = 1\nheads = 2\nwidth = 32\n"
             "[training]\nbatch = 32\nsteps = 2\ndevice = \"cpu\"\n[evaluation]\ncount = 4\n");
  const Outcome trained =
      run("train '" + path("sort.toml") + "' data.digits=5 --out '" + path("run") + "'");
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string solve = "solve --model '" + path("run/checkpoint-2") + "' ";
  EXPECT_MENTIONS(run(solve + "53142").err, "12345");  // right, by exact search
  EXPECT_MENTIONS(run(solve + "531x2").err, "is no puzzle of sort");
  EXPECT_MENTIONS(run(solve + "53142531425314").err, "has 14 characters");
}

}  // namespace
}  // namespace mgdm
