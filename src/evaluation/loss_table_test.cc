#include "evaluation/loss_table.h"

#include <gtest/gtest.h>

namespace mgdm::evaluation {
namespace {

// The answers have three positions, and no token is counted at the second one.
LossProfile profile_with(std::size_t levels) {
  LossTable table(levels, 3);
  table.at(0, 0).add(0.5, true);
  table.at(0, 2).add(2, false);
  table.at(levels - 1, 2).add(1, true);
  return {{table, {}, {}}, {}};
}

TEST(LossText, ListsTheHardestOfThePositionsThatCount) {
  EXPECT_EQ(loss_text("planning", profile_with(1)),
            "| hardest positions |   loss | token accuracy % |\n"
            "|------------------:|-------:|-----------------:|\n"
            "|                 0 | 0.5000 |            100.0 |\n"
            "|                 2 | 1.5000 |             50.0 |\n");
}

TEST(LossText, ListsLevelsWhereThereAreSeveral) {
  EXPECT_EQ(loss_text("planning", profile_with(2)),
            "| planning: t | noised % |   loss | token accuracy % |\n"
            "|------------:|---------:|-------:|-----------------:|\n"
            "|           0 |       50 | 1.2500 |             50.0 |\n"
            "|           1 |      100 | 1.0000 |            100.0 |\n"
            "|         all |          | 1.1667 |             66.7 |\n"
            "\n" +
                loss_text("planning", profile_with(1)));
}

}  // namespace
}  // namespace mgdm::evaluation
