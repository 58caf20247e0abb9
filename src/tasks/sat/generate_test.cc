#include "tasks/sat/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>

#include "tasks/sat/solve.h"
#include "tasks/sat/test_support.h"

namespace mgdm::tasks::sat {
namespace {

TEST(Generate, ClauseCounts) {
  EXPECT_EQ(clause_count(5), 41);
  EXPECT_EQ(clause_count(6), 43);
  EXPECT_EQ(clause_count(7), 45);
  EXPECT_EQ(clause_count(8), 48);
  EXPECT_EQ(clause_count(9), 51);
}

TEST(Generate, FormulasAreWhatTheyShouldBe) {
  for (int n = kMinVariables; n <= kMaxVariables; ++n) {
    const Generator generator(n);
    Stream random(0, Purpose::kTest, static_cast<std::uint32_t>(n));
    for (int round = 0; round < 50; ++round) {
      const Puzzle puzzle = generator.draw(random);
      EXPECT_EQ(puzzle.formula.variables, n);
      ASSERT_EQ(puzzle.formula.size(), static_cast<std::size_t>(clause_count(n)));
      std::set<std::vector<int>> different;
      for (std::size_t i = 0; i < puzzle.formula.size(); ++i) {
        const auto clause = puzzle.formula[i];
        ASSERT_EQ(clause.size(), 3u);
        EXPECT_LT(std::abs(clause[0]), std::abs(clause[1]));
        EXPECT_LT(std::abs(clause[1]), std::abs(clause[2]));
        EXPECT_LE(std::abs(clause[2]), n);
        different.insert({clause.begin(), clause.end()});
      }
      EXPECT_EQ(different.size(), puzzle.formula.size());
      EXPECT_EQ(first_model(puzzle.formula), puzzle.label);
    }
  }
}

// Counts of literals over many formulas: all alike, in the first clause as in the last.
TEST(Generate, LiteralsAreUniform) {
  const Generator generator(7);
  Stream random(0, Purpose::kTest, 20);
  constexpr int kRounds = 3000;
  for (const std::size_t clause : {0u, 44u}) {
    std::array<int, 15> counts{};  // literal + 7
    for (int round = 0; round < kRounds; ++round) {
      const Puzzle puzzle = generator.draw(random);
      for (const int literal : puzzle.formula[clause])
        ++counts[static_cast<std::size_t>(literal + 7)];
    }
    // A given literal is in the clause with probability 3/14: five standard deviations.
    const double p = 3.0 / 14, tolerance = 5 * std::sqrt(kRounds * p * (1 - p));
    for (int literal = -7; literal <= 7; ++literal) {
      if (literal == 0) continue;
      EXPECT_NEAR(counts[static_cast<std::size_t>(literal + 7)], kRounds * p, tolerance);
    }
  }
}

// The plain version: draw clauses until there are enough, keep the formula when it has a model.
Formula draw_plainly(int n, Stream& random) {
  while (true) {
    std::set<std::vector<int>> clauses;
    Formula formula;
    formula.variables = n;
    while (formula.size() < static_cast<std::size_t>(clause_count(n))) {
      std::vector<int> variables(static_cast<std::size_t>(n));
      for (int v = 1; v <= n; ++v) variables[static_cast<std::size_t>(v - 1)] = v;
      random.shuffle(std::span(variables));
      std::vector<int> clause(variables.begin(), variables.begin() + 3);
      std::sort(clause.begin(), clause.end());
      for (int& literal : clause)
        if (random.below(2) == 0) literal = -literal;
      if (clauses.insert(clause).second) formula.add(clause);
    }
    if (first_model(formula)) return formula;
  }
}

// How many formulas have 1, 2, 3, 4 or more models: planting a model without the correction would
// favour those with many.
TEST(Generate, ModelCountsAreThoseOfPlainRejection) {
  constexpr int kRounds = 1500, kVariables = 8;
  const Generator generator(kVariables);
  Stream random(0, Purpose::kTest, 30);
  std::array<double, 4> ours{}, plain{};
  const auto count = [](const Formula& formula, std::array<double, 4>& counts) {
    ++counts[std::min<std::size_t>(count_models(formula), 4) - 1];
  };
  for (int round = 0; round < kRounds; ++round) {
    count(generator.draw(random).formula, ours);
    count(draw_plainly(kVariables, random), plain);
  }
  // The difference of two binomials of the same probability: five standard deviations.
  for (std::size_t i = 0; i < 4; ++i) {
    const double p = (ours[i] + plain[i]) / (2 * kRounds);
    EXPECT_NEAR(ours[i], plain[i], 5 * std::sqrt(2 * kRounds * p * (1 - p))) << i + 1 << " models";
  }
}

// Answering with any model at random hits the label with probability 1/models. The released test
// sets of 5, 7 and 9 variables give 99.4, 90.3 and 77.4 percent.
TEST(Generate, AsManyModelsAsThePapersFormulas) {
  const std::array<std::pair<int, double>, 3> published{{{5, 0.994}, {7, 0.903}, {9, 0.774}}};
  for (const auto& [n, expected] : published) {
    const Generator generator(n);
    Stream random(0, Purpose::kTest, 40);
    constexpr int kRounds = 2000;
    double sum = 0, squares = 0;
    for (int round = 0; round < kRounds; ++round) {
      const double hit = 1.0 / static_cast<double>(count_models(generator.draw(random).formula));
      sum += hit;
      squares += hit * hit;
    }
    const double mean = sum / kRounds, variance = squares / kRounds - mean * mean;
    // Theirs are means over 1000 formulas, rounded to 0.001.
    EXPECT_NEAR(mean, expected, 4 * std::sqrt(variance * (1.0 / kRounds + 1.0 / 1000)) + 0.0005)
        << n;
  }
}

}  // namespace
}  // namespace mgdm::tasks::sat
