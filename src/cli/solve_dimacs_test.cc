#include "cli/solve_dimacs.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "inference/test_support.h"
#include "support/error_of.h"

namespace mgdm::cli {
namespace {

constexpr const char* kFormula = "c two clauses\np cnf 5 2\n1 -2\n5 0\n-1 -3 2 0\n";

// The formula as a model of sat-5 reads it; kFormula where it cannot.
std::string padded_formula(const std::string& text) {
  const auto task = tasks::make_task("sat-5");
  const auto padded = [&](const std::string& formula) {
    return task->abilities().padding->padded(task->normalize_input(formula)).value().input;
  };
  try {
    return padded(text);
  } catch (const std::exception&) {
    return padded(kFormula);
  }
}

struct Outcome {
  int code = -1;
  std::string out;
};

// A model of sat-5 that says `answer` to the formula.
Outcome solve(const std::string& answer, const std::string& text = kFormula, int length = 270,
              bool json = false) {
  const std::vector<tasks::Example> script{{padded_formula(text), answer}};
  SolveSettings settings;
  settings.decode.settings.steps = 3;
  settings.decode.settings.noise = 0;
  settings.decode.given = {"steps", "noise"};
  settings.json = json;
  testing::internal::CaptureStdout();
  Outcome outcome;
  try {
    outcome.code =
        solve_dimacs(inference::scripted_model("sat-5", length, script), "f.cnf", text, settings);
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  outcome.out = testing::internal::GetCapturedStdout();
  return outcome;
}

std::string complaint(const std::string& text, int length = 270) {
  return error_of([&] { solve("1,2,3,4,5", text, length); });
}

TEST(SolveDimacs, SatisfiableIsTen) {
  const Outcome outcome = solve("6,7,3,9,5");
  EXPECT_EQ(outcome.code, 10);
  EXPECT_EQ(outcome.out, "c verified, 3 passes\ns SATISFIABLE\nv -1 -2 3 -4 5 0\n");
}

TEST(SolveDimacs, GivesValuesToTheVariablesOfTheFormulaAlone) {
  const Outcome outcome = solve("6,7,3,9,5", "p cnf 3 2\n1 -2 3 0\n-1 2 0\n");
  EXPECT_EQ(outcome.out, "c verified, 3 passes\ns SATISFIABLE\nv -1 -2 3 0\n");
}

TEST(SolveDimacs, WrongOrMalformedIsUnknownAndZero) {
  Outcome outcome = solve("1,7,3,4,5");  // the second clause is false
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("\ns UNKNOWN\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\nc by exact search the formula is satisfiable\n"),
            std::string::npos);
  EXPECT_EQ(outcome.out.find("\nv"), std::string::npos);
  EXPECT_NE(outcome.out.find("c the model's answer: 1 -2 3 4 5; clause 2 (-1,-3,2) fails: x1 is "
                             "true, x3 is true, x2 is false\n"),
            std::string::npos)
      << outcome.out;
  outcome = solve("1,2,3");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("c the model's answer: x4 has no value\n"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("\ns UNKNOWN\n"), std::string::npos) << outcome.out;
}

TEST(SolveDimacs, JsonKeepsTheExitCode) {
  const Outcome outcome = solve("6,7,3,9,5", kFormula, 270, /*json=*/true);
  EXPECT_EQ(outcome.code, 10);
  EXPECT_NE(outcome.out.find("\"verified\":true"), std::string::npos) << outcome.out;
}

TEST(SolveDimacs, FormulasThatDoNotFitAreNamed) {
  EXPECT_NE(complaint("p cnf 6 1\n1 2 3 0\n").find("f.cnf: the formula has 6 variables"),
            std::string::npos);
  EXPECT_NE(complaint("p cnf 5 1\n1 2 3 4 0\n").find("has 4 literals"), std::string::npos);
  EXPECT_NE(complaint("p cnf 5 1\n1 2\n").find("f.cnf:2:"), std::string::npos);
  EXPECT_NE(complaint("p cnf 5 0\n").find("no clauses"), std::string::npos);
  std::string large = "p cnf 5 60\n";
  for (int i = 0; i < 60; ++i) large += "1 2 3 0\n";
  EXPECT_NE(complaint(large).find("--exact"), std::string::npos) << complaint(large);
}

TEST(SolveDimacs, OtherTasksRefuse) {
  const std::vector<tasks::Example> script{{"4,5,6,10,24", "=24"}};
  EXPECT_THROW(
      solve_dimacs(inference::scripted_model("countdown-4", 40, script), "f.cnf", kFormula, {}),
      Error);
}

}  // namespace
}  // namespace mgdm::cli
