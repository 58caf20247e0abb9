#include "tasks/countdown/other_rules.h"

#include <gtest/gtest.h>

#include "tasks/all_tasks.h"

namespace mgdm::tasks::countdown {
namespace {

using Solution = std::optional<std::string>;

TEST(OtherRules, FractionsOnTheWay) {
  const Problem eights{{3, 3, 8, 8}, 24};
  EXPECT_EQ(solve_by({}, eights), std::nullopt);
  EXPECT_EQ(solve_by({.fractions = true}, eights), Solution("8/3=(8/3),3-(8/3)=(1/3),8/(1/3)=24"));
  EXPECT_EQ(solve_by({.fractions = true}, {{1, 5, 5, 5}, 24}),
            Solution("1/5=(1/5),5-(1/5)=(24/5),5*(24/5)=24"));
  EXPECT_EQ(solve_by({.fractions = true}, {{1, 1, 1, 1}, 24}), std::nullopt);
  // Whole numbers come first.
  EXPECT_EQ(solve_by({.fractions = true}, {{2, 3, 4}, 24}), Solution("2*3=6,4*6=24"));
}

TEST(OtherRules, NumbersMayBeLeftOut) {
  EXPECT_EQ(solve_by({.unused = true}, {{2, 3, 50}, 6}), Solution("2*3=6"));
  EXPECT_EQ(solve_by({.unused = true}, {{7, 3, 50}, 7}), Solution("7"));
  EXPECT_EQ(solve_by({.unused = true}, {{2, 3, 4}, 24}), Solution("2*3=6,4*6=24"));
  EXPECT_EQ(solve_by({.unused = true}, {{2, 3, 50}, 7777}), std::nullopt);
}

TEST(OtherRules, ZeroAndLargeNumbersAreNumbers) {
  EXPECT_EQ(solve_by({.fractions = true, .unused = true}, {{0, 0, 0, 0}, 24}), std::nullopt);
  EXPECT_EQ(solve_by({}, {{0, 5, 1}, 0}), Solution("0*5=0,1*0=0"));
  EXPECT_EQ(solve_by({.fractions = true}, {{9999, 9998, 9997, 9996}, 9000}), std::nullopt);
}

// Looser rules find the same answer where the task's own suffice.
TEST(OtherRules, AllowMoreThanTheTask) {
  const auto task = make_task("countdown-4");
  for (std::uint32_t item = 0; item < 50; ++item) {
    const Example example = task->generate(1, Split::kTest, item);
    EXPECT_EQ(task->abilities().other_rules->solve_by(example.input, {true, true}),
              Solution(example.output));
  }
}

}  // namespace
}  // namespace mgdm::tasks::countdown
