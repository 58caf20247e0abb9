#include "tasks/sat/formula.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tasks/sat/test_support.h"

namespace mgdm::tasks::sat {
namespace {

std::string formula_complaint(std::string_view text, int variables) {
  return error_of([&] { parse_formula(text, Notation::of(variables)); });
}

TEST(Notation, FiveVariablesUseDigitsOnly) {
  const Notation& notation = Notation::of(5);
  std::string text;
  for (const int literal : {1, 2, 3, 4, 5, -1, -2, -3, -4, -5}) text += notation.character(literal);
  EXPECT_EQ(text, "1234567890");
}

TEST(Notation, MoreVariablesUseLettersFromB) {
  for (int n = 6; n <= 9; ++n) {
    std::string text;
    for (int v = 1; v <= n; ++v) text += Notation::of(n).character(-v);
    EXPECT_EQ(text, std::string("bcdefghij").substr(0, static_cast<std::size_t>(n)));
  }
}

TEST(Notation, EveryCharacterIsOneLiteralOrNone) {
  for (int n = kMinVariables; n <= kMaxVariables; ++n) {
    const Notation& notation = Notation::of(n);
    int literals = 0;
    for (int c = 0; c < 256; ++c) {
      const int literal = notation.literal(static_cast<char>(c));
      if (literal == 0) continue;
      ++literals;
      EXPECT_EQ(notation.character(literal), static_cast<char>(c));
      EXPECT_EQ(notation.set(static_cast<char>(c)),
                literal > 0 ? 1u << literal : 1u << (16 - literal));
    }
    EXPECT_EQ(literals, 2 * n);
  }
  EXPECT_THROW(Notation::of(4), std::logic_error);
  EXPECT_THROW(Notation::of(10), std::logic_error);
}

TEST(Formula, ReadsAndWritesTheNotation) {
  const Formula seven = formula(7, {{-2, -3, 7}, {2, -4, 7}, {1, 5, -7}});
  EXPECT_EQ(parse_formula("c,d,7/2,e,7/1,5,h", Notation::of(7)), seven);
  EXPECT_EQ(render_formula(seven, Notation::of(7)), "c,d,7/2,e,7/1,5,h");
  const Formula five = formula(5, {{-1, 2, -5}, {3, -4, 5}});
  EXPECT_EQ(parse_formula("6,2,0/3,9,5", Notation::of(5)), five);
  EXPECT_EQ(render_formula(five, Notation::of(5)), "6,2,0/3,9,5");
}

TEST(Formula, ReadsDimacs) {
  EXPECT_EQ(parse_formula("c a comment\np cnf 6 2\n6 -2 1 0\n-3 -4 -5 0\n", Notation::of(6)),
            formula(6, {{1, -2, 6}, {-3, -4, -5}}));
}

TEST(Formula, LiteralsAreSortedByVariable) {
  EXPECT_EQ(parse_formula(" 7,c,1 \n", Notation::of(7)), formula(7, {{1, -2, 7}}));
}

TEST(Formula, DimacsMayBeSmallerAndSayThingsTwice) {
  EXPECT_EQ(parse_formula("p cnf 3 3\n2 -1 2 0\n1 -1 3 0\n3 0\n", Notation::of(7)),
            formula(7, {{-1, 2}, {3}}));
}

TEST(Formula, Complaints) {
  const std::string three =
      "\n  expected: one to three literals of different variables (1..7, or b..h for their "
      "negations)";
  const std::string joined = three + " joined by ',', clauses joined by '/'";
  EXPECT_EQ(formula_complaint("", 7),
            "the formula has no clauses\n"
            "  expected: clauses such as 1,c,4 joined by '/', or DIMACS");
  EXPECT_EQ(formula_complaint("p cnf 5 0", 5),
            "the formula has no clauses\n"
            "  expected: clauses such as 1,7,4 joined by '/', or DIMACS");
  EXPECT_EQ(formula_complaint("1,2,3/1,i,3", 7),
            "clause 2 ('1,i,3'): 'i' is no literal of 7 variables" + joined);
  EXPECT_EQ(formula_complaint("1,2,3/", 7),
            "clause 2 (''): '' is no literal of 7 variables" + joined);
  EXPECT_EQ(formula_complaint("1,23/1,2,3", 7),
            "clause 1 ('1,23'): '23' is no literal of 7 variables" + joined);
  EXPECT_EQ(formula_complaint("1, 2,3", 7),
            "clause 1 ('1, 2,3'): ' 2' is no literal of 7 variables" + joined);
  EXPECT_EQ(formula_complaint("1,2,3,4", 7), "clause 1 ('1,2,3,4') has 4 literals" + three);
  EXPECT_EQ(formula_complaint("1,2,c", 7), "clause 1 ('1,2,c') names x2 twice" + three);
  const std::string signs =
      "\n  expected: one to three literals of different variables (1..7, or with a minus sign)";
  EXPECT_EQ(formula_complaint("p cnf 7 1\n0", 7), "clause 1 ('') has 0 literals" + signs);
  EXPECT_EQ(formula_complaint("p cnf 8 1\n1 2 3 0", 7),
            "the formula has 8 variables\n  expected: at most 7");
  EXPECT_EQ(formula_complaint("p cnf 7 2\n1 2 3 0", 7),
            "line 1: the header promises 2 clauses\n  expected: 1, as many as follow");
}

}  // namespace
}  // namespace mgdm::tasks::sat
