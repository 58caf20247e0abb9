#include "tasks/sat/padding.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/random.h"
#include "tasks/all_tasks.h"
#include "tasks/sat/test_support.h"

namespace mgdm::tasks::sat {
namespace {

// Clauses of one to three different variables.
Formula small_formula(int variables, int clauses, Stream& random) {
  Formula out;
  out.variables = variables;
  while (static_cast<int>(out.size()) < clauses) {
    std::set<int> named;
    for (int size = random.between(1, 3); size > 0; --size)
      named.insert(random.between(1, variables));
    std::vector<int> clause;
    for (const int v : named) clause.push_back(random.below(2) == 0 ? v : -v);
    out.add(clause);
  }
  return out;
}

TEST(SatPadding, KeepsEveryModelAndAddsNone) {
  Stream random(1, Purpose::kTest, 0);
  for (int i = 0; i < 300; ++i) {
    const Formula small = small_formula(random.between(3, 9), random.between(1, 10), random);
    const auto large = padded(small, 41);
    ASSERT_TRUE(large);
    ASSERT_EQ(large->size(), 41u);
    ASSERT_EQ(large->literals.size(), 3u * 41u);
    for (std::uint64_t a = 0; a < std::uint64_t{1} << small.variables; ++a) {
      const Assignment assignment(assignment_literals(a, small.variables));
      ASSERT_EQ(assignment.satisfies(small), assignment.satisfies(*large));
    }
  }
}

TEST(SatPadding, ALiteralTakesFourClauses) {
  EXPECT_EQ(padded(formula(3, {{-2}}), 4),
            formula(3, {{1, -2, 3}, {-1, -2, 3}, {1, -2, -3}, {-1, -2, -3}}));
  EXPECT_FALSE(padded(formula(3, {{-2}}), 3));
  EXPECT_EQ(padded(formula(3, {{1, 2, 3}}), 1), formula(3, {{1, 2, 3}}));
}

TEST(SatPadding, TheTaskPadsWhatIsSmaller) {
  const auto task = make_task("sat-5");
  const Padding& padding = *task->abilities().padding;
  const auto padded = padding.padded("1,7/3");
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->input.size(), 41u * 6 - 1);
  EXPECT_EQ(padded->own_answer("1,2,3,4,5"), "1,2,3,4,5");
  EXPECT_FALSE(padding.padded(task->generate(0, Split::kTrain, 0).input));
}

}  // namespace
}  // namespace mgdm::tasks::sat
