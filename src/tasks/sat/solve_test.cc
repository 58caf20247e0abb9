#include "tasks/sat/solve.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/random.h"
#include "tasks/sat/answer.h"
#include "tasks/sat/test_support.h"

namespace mgdm::tasks::sat {
namespace {

using Literals = std::vector<int>;

// Clauses of 1 to 3 literals; variables may repeat within a clause.
Formula random_formula(int variables, int clauses, Stream& random) {
  Formula out;
  out.variables = variables;
  for (int i = 0; i < clauses; ++i) {
    Literals clause;
    for (int size = random.between(random.below(8) == 0 ? 1 : 3, 3); size > 0; --size) {
      const int v = random.between(1, variables);
      clause.push_back(random.below(2) == 0 ? v : -v);
    }
    out.add(clause);
  }
  return out;
}

TEST(Solve, TrueComesBeforeFalseFromVariableOneUp) {
  EXPECT_EQ(*first_model(formula(3, {})), (Literals{1, 2, 3}));
  // x1 true wants x2 and x3 false, x1 false leaves them free: x1 decides first.
  EXPECT_EQ(*first_model(formula(3, {{-1, -2}, {-1, -3}})), (Literals{1, -2, -3}));
  EXPECT_EQ(*first_model(formula(3, {{-1, -2, -3}})), (Literals{1, 2, -3}));
  EXPECT_EQ(*first_model(formula(3, {{-1}})), (Literals{-1, 2, 3}));
}

TEST(Solve, NoModelNoVariablesNoClauses) {
  EXPECT_EQ(first_model(formula(2, {{1}, {-1}})), std::nullopt);
  EXPECT_EQ(first_model(formula(2, {{}})), std::nullopt);
  EXPECT_EQ(*first_model(formula(0, {})), Literals{});
  EXPECT_EQ(first_model(formula(0, {{}})), std::nullopt);
}

TEST(Solve, WorksInEverySize) {
  for (int n = 3; n <= kBruteForceVariables; ++n) {
    EXPECT_EQ(first_model(formula(n, {{1}, {-n}}))->back(), -n);
  }
  EXPECT_THROW(first_model(formula(21, {})), std::logic_error);
}

// The plain version: one assignment after the other, one literal after the other.
TEST(Solve, AgreesWithOneAssignmentAtATime) {
  Stream random(0, Purpose::kTest, 1);
  for (int round = 0; round < 200; ++round) {
    const int n = random.between(1, 8);
    const Formula f = random_formula(n, random.between(0, 5 * n), random);
    std::optional<Literals> first;
    for (std::uint64_t a = 0; a < std::uint64_t{1} << n; ++a) {
      const Literals literals = assignment_literals(a, n);
      if (!Assignment(literals).satisfies(f)) continue;
      first = literals;
      break;
    }
    EXPECT_EQ(first_model(f), first);
  }
}

#ifdef MGDM_HAVE_CADICAL

TEST(Solve, AgreesWithCadical) {
  Stream random(0, Purpose::kTest, 2);
  int satisfiable = 0, rounds = 0;
  for (int n = 3; n <= kBruteForceVariables; ++n)
    for (int i = 0; i < 15; ++i, ++rounds) {
      const Formula f = random_formula(n, 3 * n, random);
      const Model ours = first_model(f), theirs = cadical_model(f);
      ASSERT_EQ(ours.has_value(), theirs.has_value()) << formats::write_dimacs(f);
      if (!ours) continue;
      ++satisfiable;
      EXPECT_TRUE(Assignment(*ours).satisfies(f));
      EXPECT_TRUE(Assignment(*theirs).satisfies(f));
    }
  EXPECT_GT(satisfiable, rounds / 10);
  EXPECT_LT(satisfiable, 9 * rounds / 10);
}

TEST(Solve, LargeFormulasGoToCadical) {
  Stream random(0, Purpose::kTest, 3);
  // Satisfiable by construction: in a hidden assignment even variables are true, odd ones false.
  Formula hidden = formula(500, {});
  const Formula noise = random_formula(500, 2000, random);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    Literals clause(noise[i].begin(), noise[i].end());
    const int v = std::abs(clause[0]);
    clause[0] = v % 2 == 0 ? v : -v;
    hidden.add(clause);
  }
  const Model model = solve(hidden);
  ASSERT_TRUE(model);
  EXPECT_TRUE(Assignment(*model).satisfies(hidden));
  // Pigeons 1..5 in holes 1..4: p in h is variable 4 (p - 1) + h, and there is no room.
  Formula pigeons = formula(20 + 1, {});
  for (int p = 0; p < 5; ++p) pigeons.add(Literals{4 * p + 1, 4 * p + 2, 4 * p + 3, 4 * p + 4});
  for (int h = 1; h <= 4; ++h)
    for (int p = 0; p < 5; ++p)
      for (int q = 0; q < p; ++q) pigeons.add(Literals{-(4 * p + h), -(4 * q + h)});
  EXPECT_EQ(solve(pigeons), std::nullopt);
  pigeons.variables = 20;
  EXPECT_EQ(solve(pigeons), std::nullopt);
}

TEST(Solve, HugeVariableNumbersCostNothing) {
  const Formula f = formula(2147483647, {{-2147483647}, {2147483647, 7}});
  EXPECT_EQ(*solve(f), (Literals{7, -2147483647}));
  EXPECT_EQ(*solve(formula(2147483647, {})), Literals{});
  EXPECT_EQ(solve(formula(2147483647, {{}})), std::nullopt);
}

#else

TEST(Solve, SaysThatCadicalIsMissing) {
  try {
    solve(formula(21, {{1}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "cannot solve a formula of 21 variables: built without CaDiCaL\n"
        "  expected: at most 20 variables\n"
        "  try: install CaDiCaL (Debian package libcadical-dev) and configure and build again");
  }
}

#endif

}  // namespace
}  // namespace mgdm::tasks::sat
