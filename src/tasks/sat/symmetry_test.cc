#include "tasks/sat/symmetry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "tasks/sat/answer.h"
#include "tasks/sat/generate.h"
#include "tasks/sat/solve.h"
#include "tasks/sat/test_support.h"

namespace mgdm::tasks::sat {
namespace {

using Literals = std::vector<int>;

TEST(Renaming, MovesLiteralsFormulasAndAssignments) {
  const Renaming renaming{{-2, 3, 1, 4, 5}};  // x1 -> not x2, x2 -> x3, x3 -> x1
  EXPECT_EQ(renaming(1), -2);
  EXPECT_EQ(renaming(-1), 2);
  EXPECT_EQ(renaming(-3), -1);
  const Formula formula = parse_formula("1,2,3/6,2,8", Notation::of(5));
  EXPECT_EQ(render_formula(renamed(formula, renaming), Notation::of(5)), "1,7,3/6,2,3");
  EXPECT_EQ(renamed(Literals{1, -2, 3, 4, -5}, renaming), (Literals{1, -2, -3, 4, -5}));
}

TEST(Renaming, AllAreDrawn) {
  Stream random(0, Purpose::kTest, 0);
  std::set<Literals> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random_renaming(3, random).image);
  EXPECT_EQ(seen.size(), 48u);  // 3! 2^3
}

TEST(Copy, AnswersGoAlong) {
  for (int n = kMinVariables; n <= kMaxVariables; ++n) {
    const Notation& notation = Notation::of(n);
    Stream random(0, Purpose::kTest, static_cast<std::uint32_t>(n));
    const Generator generator(n);
    for (int round = 0; round < 20; ++round) {
      const Puzzle puzzle = generator.draw(random);
      const Example example{render_formula(puzzle.formula, notation),
                            render_answer(puzzle.label, notation)};
      const Example copy = random_copy(example, notation, random);
      const Formula formula = parse_formula(copy.input, notation);
      EXPECT_NE(copy.input, example.input);
      EXPECT_EQ(render_formula(formula, notation), copy.input);  // sorted within clauses
      EXPECT_EQ(count_models(formula), count_models(puzzle.formula));
      EXPECT_TRUE(Assignment(parse_answer(copy.output, notation)).satisfies(formula));
      EXPECT_EQ(copy.output.size(), example.output.size());
      EXPECT_EQ(canonical_form(formula), canonical_form(puzzle.formula));
      EXPECT_EQ(random_copy({example.input, ""}, notation, random).output, "");
    }
  }
}

TEST(Copy, ShuffleKeepsTheClauses) {
  Stream random(0, Purpose::kTest, 0);
  const Formula formula = Generator(6).draw(random).formula;
  const Formula shuffled = with_shuffled_clauses(formula, random);
  const auto clauses = [](const Formula& f) {
    std::multiset<Literals> out;
    for (std::size_t i = 0; i < f.size(); ++i) out.insert({f[i].begin(), f[i].end()});
    return out;
  };
  EXPECT_NE(shuffled, formula);
  EXPECT_EQ(clauses(shuffled), clauses(formula));
}

TEST(CanonicalForm, CountsSignsPerVariable) {
  // x1: + + -, x2: + - -, x3: + + +, x4 and x5 absent
  EXPECT_EQ(canonical_form(parse_formula("1,2,3/1,7,3/6,7,3", Notation::of(5))),
            "0:0 0:0 0:3 1:2 1:2");
}

TEST(CanonicalForm, OneInTenIsATestPuzzleAndFormsAreMany) {
  constexpr int kRounds = 5000;
  for (const int n : {5, 7, 9}) {
    const Generator generator(n);
    Stream random(0, Purpose::kTest, static_cast<std::uint32_t>(n));
    std::set<std::string> forms;
    int test = 0;
    for (int round = 0; round < kRounds; ++round) {
      const std::string form = canonical_form(generator.draw(random).formula);
      test += in_test_split(form);
      forms.insert(form);
    }
    // Five standard deviations of a binomial.
    EXPECT_NEAR(test, 0.1 * kRounds, 5 * std::sqrt(kRounds * 0.09)) << n;
    EXPECT_GT(forms.size(), 9u * kRounds / 10) << n;
  }
}

}  // namespace
}  // namespace mgdm::tasks::sat
