#include "training/budget.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace mgdm::training {
namespace {

Budget budget(double epochs, std::int64_t steps, double minutes, std::int64_t examples = 50000) {
  TrainingSettings settings;
  settings.batch = 1024;
  settings.epochs = epochs;
  settings.steps = steps;
  settings.minutes = minutes;
  return {settings, examples};
}

TEST(Budgets, EpochsAreStepsOfTheWholeData) {
  EXPECT_EQ(budget(1200, 0, 0).steps(), 58594);  // 1200 * 50000 / 1024 = 58593.75
  EXPECT_EQ(budget(0.5, 0, 0, 2048).steps(), 1);
  EXPECT_EQ(budget(1, 0, 0, 3).steps(), 1);  // never none
}

TEST(Budgets, TheFractionFollowsStepsOrTheClock) {
  const Budget steps = budget(0, 200, 0);
  EXPECT_EQ(steps.steps(), 200);
  EXPECT_EQ(steps.fraction(50, 1e9), 0.25);
  EXPECT_EQ(steps.fraction(500, 0), 1);
  const Budget minutes = budget(0, 0, 2);
  EXPECT_EQ(minutes.steps(), 0);
  EXPECT_EQ(minutes.fraction(1000000, 30), 0.25);
  EXPECT_EQ(minutes.fraction(0, 121), 1);
}

TEST(Budgets, DataWithoutEndHaveNoEpochs) {
  EXPECT_THROW(budget(1, 0, 0, 0), UsageError);
  EXPECT_EQ(budget(0, 5, 0, 0).steps(), 5);
}

TEST(Budgets, ExactlyOneIsNamed) {
  EXPECT_THROW(budget(0, 0, 0), UsageError);
  EXPECT_THROW(budget(1, 1, 0), UsageError);
  EXPECT_THROW(budget(0, 1, 1), UsageError);
}

}  // namespace
}  // namespace mgdm::training
