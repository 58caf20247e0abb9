#include "tasks/sat/verify.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "tasks/sat/answer.h"
#include "tasks/sat/generate.h"

namespace mgdm::tasks::sat {
namespace {

const Notation& five = Notation::of(5);
constexpr std::string_view kInput = "1,2,3/6,7,8/1,9,5";  // (1 2 3) (-1 -2 -3) (1 -4 5)

void expect_fault(const Fault& fault, std::string_view category, int where,
                  std::string_view words) {
  EXPECT_EQ(fault.category, category);
  EXPECT_EQ(fault.where, where);
  EXPECT_EQ(fault.words, words);
}

TEST(Verify, CorrectMeansEveryClauseSatisfied) {
  EXPECT_TRUE(is_correct(kInput, "1,2,8,4,5", five));
  EXPECT_TRUE(is_correct(kInput, "6,2,8,9,0", five));
  EXPECT_FALSE(is_correct(kInput, "1,2,3,4,5", five));  // clause 2
  EXPECT_FALSE(is_correct(kInput, "6,2,8,4,0", five));  // clause 3
}

TEST(Verify, TheTextFormIsStrict) {
  for (const char* answer : {"", "1", "1,2,8,4", "1,2,8,4,5,5", "2,1,8,4,5", "1,2,8,4,4",
                             "1,1,8,4,5", "1,2,8,4,5,", " 1,2,8,4,5", "1,2,8,4,5\n", "1 2 8 4 5",
                             "1,2,8,4,x", "1,2,8;4,5", "12845", "1,-2,8,4,5"}) {
    EXPECT_FALSE(is_correct(kInput, answer, five)) << answer;
    EXPECT_FALSE(faults(kInput, answer, five).empty()) << answer;
  }
}

TEST(Verify, UnusualInputsAreJudgedToo) {
  const std::string dimacs = "p cnf 5 3\n3 1 2 0\n-1 -2 -3 0\n1 -4 5 0\n";
  EXPECT_TRUE(is_correct(dimacs, "1,2,8,4,5", five));
  EXPECT_FALSE(is_correct(dimacs, "1,2,3,4,5", five));
  EXPECT_FALSE(is_correct(dimacs, "1,2,3,4", five));
  EXPECT_TRUE(is_correct("3,1,2/8,7,6/1,9,5\n", "1,2,8,4,5", five));
}

TEST(Verify, InputsThatAreNoFormulaAreErrors) {
  for (const char* input : {"", "1,2,3/", "1,2,3/1,2,x", "1,2,3/1,2,7", "1,6,3", "1,1,3",
                            "1,2,3,1,2,4", "1/2//3", "1,2,3/1,2;4", "p cnf 6 1\n1 2 3 0"}) {
    EXPECT_THROW(is_correct(input, "1,2,3,4,5", five), Error) << input;
    EXPECT_THROW(is_correct(input, "", five), Error) << input;
    EXPECT_THROW(faults(input, "1,2,3,4,5", five), Error) << input;
  }
}

TEST(Explain, ClausesInWords) {
  const auto found = faults("b,2,e/c,d,7", "1,c,3,4,5,6,h", Notation::of(7));
  ASSERT_EQ(found.size(), 1u);
  expect_fault(found[0], "unsatisfied clause", 1,
               "clause 1 (b,2,e) fails: x1 is true, x2 is false, x4 is true");
  EXPECT_TRUE(faults("b,2,e/c,d,7", "1,2,3,4,5,6,7", Notation::of(7)).empty());
}

TEST(Explain, MissingAndRepeatedVariablesComeFirst) {
  const auto found = faults(kInput, "2,2,3", five);
  ASSERT_EQ(found.size(), 6u);
  expect_fault(found[0], "variable twice", 2, "x2 is given more than once");
  expect_fault(found[1], "variable missing", 1, "x1 has no value");
  expect_fault(found[3], "variable missing", 5, "x5 has no value");
  expect_fault(found[4], "unsatisfied clause", 2,
               "clause 2 (6,7,8) fails: x1 has no value, x2 is true, x3 is true");
}

TEST(Explain, MalformedAnswers) {
  const auto piece = faults(kInput, "1,2,z", five);
  ASSERT_EQ(piece.size(), 1u);
  expect_fault(
      piece[0], "malformed answer", 0,
      "piece 3 of the answer, 'z', is no literal; expected: 5 literals (1..5, or 6 7 8 9 0 "
      "for their negations) joined by ','");
  const auto order = faults(kInput, "1,8,2,4,5", five);
  ASSERT_EQ(order.size(), 1u);
  expect_fault(order[0], "malformed answer", 2, "x3 stands where x2 belongs");
}

// Correct exactly when there is no fault, on labels, on labels with one character changed, and on
// noise of the right form.
TEST(Explain, FaultsAreEmptyExactlyWhenCorrect) {
  int correct = 0, rounds = 0;
  for (int n = kMinVariables; n <= kMaxVariables; ++n) {
    const Notation& notation = Notation::of(n);
    const Generator generator(n);
    Stream random(0, Purpose::kTest, static_cast<std::uint32_t>(n));
    for (int round = 0; round < 100; ++round, ++rounds) {
      const Puzzle puzzle = generator.draw(random);
      const std::string input = render_formula(puzzle.formula, notation);
      std::string answer = render_answer(puzzle.label, notation);
      constexpr std::string_view kCharacters = "0123456789bcdefghij,/";
      if (round % 2 == 1)
        answer[random.below(static_cast<std::uint32_t>(answer.size()))] =
            kCharacters[random.below(static_cast<std::uint32_t>(kCharacters.size()))];
      const bool right = is_correct(input, answer, notation);
      EXPECT_EQ(faults(input, answer, notation).empty(), right) << input << " " << answer;
      EXPECT_TRUE(right || round % 2 == 1);
      correct += right;
    }
  }
  EXPECT_LT(correct, 2 * rounds / 3);
}

TEST(VerifyIntegers, LeftOutVariablesAreFineWhenEveryClauseHolds) {
  const Formula formula = formats::read_dimacs("p cnf 30 3\n1 20 0\n-1 2 0\n-20 30 0\n", "f");
  for (const char* answer : {"1,2,-20", "-20 2 1", "v -20 1 2 0", "1 2 30", "-1 20 30 0"}) {
    EXPECT_TRUE(is_correct(formula, answer)) << answer;
    EXPECT_TRUE(faults(formula, answer).empty()) << answer;
  }
  for (const char* answer : {"", "1", "1,2", "1,2,-20,1", "1,2,-20,-2", "1,2,-20,31", "1,2,x",
                             "1,2,-20,0,3", "s UNKNOWN", "v 1 2 -20"}) {
    EXPECT_FALSE(is_correct(formula, answer)) << answer;
    EXPECT_FALSE(faults(formula, answer).empty()) << answer;
  }
}

TEST(VerifyIntegers, AClaimOfNoSolutionIsHeldAgainstTheTruth) {
  constexpr std::string_view kClaim = "c by a solver\ns UNSATISFIABLE\n";
  const Formula none = formats::read_dimacs("p cnf 2 4\n1 2 0 1 -2 0 -1 2 0 -1 -2 0\n", "f");
  EXPECT_TRUE(is_correct(none, kClaim));
  EXPECT_TRUE(faults(none, kClaim).empty());
  EXPECT_FALSE(is_correct(none, "1,2"));
  const Formula some = formats::read_dimacs("p cnf 2 3\n1 2 0 1 -2 0 -1 -2 0\n", "f");
  EXPECT_FALSE(is_correct(some, kClaim));
  const auto found = faults(some, kClaim);
  ASSERT_EQ(found.size(), 1u);
  expect_fault(found[0], "satisfiable after all", 0,
               "the answer claims unsatisfiable, but 1,-2 satisfies every clause");
#ifdef MGDM_HAVE_CADICAL
  EXPECT_TRUE(is_correct(formats::read_dimacs("p cnf 300 2\n300 0 -300 0\n", "f"), kClaim));
  EXPECT_FALSE(is_correct(formats::read_dimacs("p cnf 300 1\n300 0\n", "f"), kClaim));
#endif
}

TEST(VerifyIntegers, Words) {
  const Formula formula = formats::read_dimacs("p cnf 30 3\n1 -20 0\n-1 2 0\n0\n", "f");
  auto found = faults(formula, "1,-2,-2");
  ASSERT_EQ(found.size(), 3u);
  expect_fault(found[0], "variable twice", 2, "x2 is given more than once");
  expect_fault(found[1], "unsatisfied clause", 2, "clause 2 (-1,2) fails: x1 is true, x2 is false");
  expect_fault(found[2], "unsatisfied clause", 3, "clause 3 () fails: it has no literals");
  found = faults(formula, "2");
  expect_fault(found.at(0), "unsatisfied clause", 1,
               "clause 1 (1,-20) fails: x1 has no value, x20 has no value");
  found = faults(formula, "-31");
  ASSERT_EQ(found.size(), 1u);
  expect_fault(found[0], "malformed answer", 0,
               "the literal -31 names no variable; expected: 1..30");
  found = faults(formula, "1;2");
  ASSERT_EQ(found.size(), 1u);
  expect_fault(
      found[0], "malformed answer", 0,
      "piece 1 of the answer, '1;2', is no literal; expected: signed integers separated by "
      "',' or spaces, such as 1,-2,3");
}

}  // namespace
}  // namespace mgdm::tasks::sat
