// What CONTRIBUTING.md says it takes to add an order of decoding is all it takes: the program here has
// one that is a function and a row in a copy of orders.cc (additions/).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "program_test.h"

namespace mgdm {
namespace {

class AddedOrder : public Program {
 protected:
  Outcome run(const std::string& arguments) const {
    return mgdm(arguments, "MGDM_MODELS='" MGDM_SOURCE_DIR "/models'", "/dev/null",
                MGDM_PROGRAM_WITH_AN_ORDER);
  }
  static constexpr const char* kPuzzle =
      "solve --model quick-planning-mgdm '3,5/4,7/1,0/6,2/5,1/2,4-3,0' --decoding from_the_end";
};

TEST_F(AddedOrder, DecodesAndIsInHelpAndErrors) {
  EXPECT_MENTIONS(run("solve --help").out, "reveal the last token first");
  EXPECT_MENTIONS(run("solve --decoding nosuch x").err, "from_the_end");
  // One token a pass, from the end: no pass shows anything before something that is hidden.
  const Outcome shown = run(std::string(kPuzzle) + " --steps 40 --show --revise off");
  EXPECT_NE(shown.code, 2) << shown.err;
  EXPECT_MENTIONS(shown.err + shown.out, "passes");
}

TEST_F(AddedOrder, RefusesSettingsThatItDoesNotRead) {
  const Outcome outcome = run(std::string(kPuzzle) + " --noise 1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_MENTIONS(outcome.err, "--noise changes nothing");
}

}  // namespace
}  // namespace mgdm
