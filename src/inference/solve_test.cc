#include "inference/solve.h"

#include <gtest/gtest.h>

namespace mgdm::inference {
namespace {

TEST(Effort, NamesVotesWhereTheyWereAskedFor) {
  Solved solved;
  solved.best.passes = 20;
  const auto with = [&](Votes votes) {
    solved.votes = votes;
    return effort(solved);
  };
  EXPECT_EQ(with({1, 1, 1}), "20 passes");
  EXPECT_EQ(with({6, 6, 5}), "20 passes, the answer of 5 of 6 forms");
  EXPECT_EQ(with({256, 6, 5}), "20 passes, the answer of 5 of 6 forms (256 asked)");
  solved.best.passes = 1;
  EXPECT_EQ(with({2, 1, 1}), "1 pass, the answer of 1 of 1 form (2 asked)");
}

}  // namespace
}  // namespace mgdm::inference
