#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "support/error_of.h"
#include "tasks/all_tasks.h"
#include "tasks/sat/answer.h"
#include "tasks/sat/solve.h"
#include "tasks/sat/symmetry.h"

namespace mgdm::tasks::sat {
namespace {

TEST(SatTask, Names) {
  EXPECT_EQ(make_task("sat-7")->name(), "sat-7");
  EXPECT_EQ(make_task("sat-9")->about(),
            "3-SAT, 9 variables, 51 clauses: find values that satisfy every clause");
  EXPECT_EQ(make_task("sat-5")->details(), "1 to 5 are the variables, 6 7 8 9 0 their negations");
  EXPECT_EQ(make_task("sat")->name(), "sat");
  EXPECT_THROW(make_task("sat-4"), UsageError);
  EXPECT_THROW(make_task("sat-10"), UsageError);
}

TEST(SatTask, GeneratesVerifiesAndSolvesItsOwn) {
  for (int n = kMinVariables; n <= kMaxVariables; ++n) {
    const auto task = make_task(fmt::format("sat-{}", n));
    const Notation& notation = Notation::of(n);
    for (const Split split : {Split::kTrain, Split::kTest})
      for (std::uint32_t item = 0; item < 20; ++item) {
        const Example example = task->generate(3, split, item);
        EXPECT_EQ(task->generate(3, split, item), example);
        EXPECT_EQ(task->verify(example, example.output), (Verdict{true, true}));
        EXPECT_TRUE(task->explain(example, example.output).empty());
        EXPECT_EQ(task->solve(example.input), example.output);
        EXPECT_EQ(task->normalize_input(example.input), example.input);
        EXPECT_EQ(in_test_split(canonical_form(parse_formula(example.input, notation))),
                  split == Split::kTest);
      }
    EXPECT_NE(task->generate(3, Split::kTrain, 0), task->generate(4, Split::kTrain, 0));
    EXPECT_NE(task->generate(3, Split::kTrain, 0), task->generate(3, Split::kTrain, 1));
  }
}

TEST(SatTask, ThePapersMetricWantsTheLabel) {
  const auto task = make_task("sat-5");
  const Example example{"1,2,3/1,2,4", "1,2,3,4,5"};
  EXPECT_EQ(task->verify(example, "1,2,3,4,5"), (Verdict{true, true}));
  EXPECT_EQ(task->verify(example, "1,2,3,4,0"), (Verdict{true, false}));
  EXPECT_EQ(task->verify(example, "6,7,3,4,5"), (Verdict{true, false}));
  EXPECT_EQ(task->verify(example, "6,7,8,4,5"), (Verdict{false, false}));
  EXPECT_EQ(task->verify({example.input, "6,7,8,4,5"}, "6,7,8,4,5"), (Verdict{false, true}));
  EXPECT_EQ(task->verify({example.input, ""}, ""), (Verdict{false, false, false}));
  EXPECT_EQ(task->verify({example.input, ""}, "1,2,3,4,5"), (Verdict{true, false, false}));
}

TEST(SatTask, NormalizesDimacs) {
  EXPECT_EQ(make_task("sat-6")->normalize_input("c x\np cnf 6 2\n-6 1 -2 0 3\n4 5 0\n%\n0\n"),
            "1,c,g/3,4,5");
  EXPECT_EQ(make_task("sat-7")->normalize_input("p cnf 6 1\n1 2 3 0\n"), "1,2,3");
  EXPECT_THROW(make_task("sat-5")->normalize_input("p cnf 6 1\n1 2 3 0\n"), Error);
}

TEST(SatTask, NoAnswerToAContradiction) {
  const auto task = make_task("sat-5");
  EXPECT_EQ(task->solve("1,2,3/1,2,8/1,7,3/1,7,8/6,2,3/6,2,8/6,7,3/6,7,8"), std::nullopt);
  EXPECT_EQ(task->solve("1,2,3/1,2,8/1,7,3/1,7,8/6,2,3/6,2,8/6,7,3"), "1,2,3,4,5");
}

TEST(SatAnyTask, JudgesAndSolvesDimacs) {
  const auto task = make_task("sat");
  const std::string input = task->normalize_input("c x\np cnf  3 2\n1\n-2 0 2 3 0 \n%\n0\n");
  EXPECT_EQ(input, "p cnf 3 2\n1 -2 0\n2 3 0\n");
  EXPECT_EQ(task->solve(input), "1,2,3");
  EXPECT_EQ(task->verify({input, "1,2,3"}, "1,2,3"), (Verdict{true, true}));
  EXPECT_EQ(task->verify({input, "1,2,3"}, "v 3 1 0"), (Verdict{true, false}));
  EXPECT_EQ(task->verify({input, "1,2,3"}, "2"), (Verdict{false, false}));
  EXPECT_EQ(task->explain({input, ""}, "2").size(), 1u);
  EXPECT_EQ(task->solve("p cnf 1 2\n1 0 -1 0\n"), std::nullopt);
}

TEST(SatAnyTask, Complaints) {
  const auto task = make_task("sat");
  EXPECT_THROW(task->generate(0, Split::kTrain, 0), UsageError);
  EXPECT_EQ(error_of([&] { task->generate(0, Split::kTrain, 0); }),
            "the task 'sat' cannot generate formulas\n  expected: sat-5 to sat-9");
  EXPECT_EQ(error_of([&] { task->normalize_input("1,2,3"); }),
            "'1,2,3' is not DIMACS\n"
            "  expected: 'p cnf VARIABLES CLAUSES' and clauses that end with 0\n"
            "  try: sat-5 to sat-9 for formulas such as 1,c,4/b,2,3");
  EXPECT_EQ(error_of([&] {
              task->verify({"p cnf 3 1\n1 4 0\n", ""}, "1");
            }),
            "line 2: the literal '4' is out of range\n"
            "  expected: literals from -3 to 3, and 0 at the end");
}

TEST(SatTask, SaysWhatSizesAreNeverDrawn) {
  for (const std::string name : {"sat-5", "sat-9"}) {
    const auto task = make_task(name);
    EXPECT_FALSE(task->unfamiliar(task->generate(0, Split::kTrain, 0).input)) << name;
  }
  const auto task = make_task("sat-5");
  EXPECT_FALSE(task->unfamiliar("1,7,3"));  // padding mends that
  std::string large = "1,7,3", short_ones = "1";
  for (int i = 1; i < 42; ++i) large += "/1,7,3";
  for (int i = 1; i < 11; ++i) short_ones += "/1";
  EXPECT_EQ(task->unfamiliar(large), "42 clauses are not the 41");
  EXPECT_EQ(task->unfamiliar(short_ones), "11 clauses, some of them short, are not the 41");
}

// The paper's released test set, when MGDM_TEST_DATA names the folder that holds it.
TEST(SatTask, ThePapersTestSet) {
  const char* const folder = std::getenv("MGDM_TEST_DATA");
  if (folder == nullptr) GTEST_SKIP() << "MGDM_TEST_DATA is not set";
  std::ifstream file(std::string(folder) + "/paper/3sat7_test.jsonl");
  if (!file) GTEST_SKIP() << "no paper/3sat7_test.jsonl there";
  const auto task = make_task("sat-7");
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const auto json = nlohmann::json::parse(line);
    const Example example{json["input"], json["output"]};
    const Formula formula = parse_formula(example.input, Notation::of(7));
    EXPECT_EQ(render_formula(formula, Notation::of(7)), example.input);
    ASSERT_EQ(formula.size(), 45u);
    std::set<std::vector<int>> different;
    for (std::size_t i = 0; i < formula.size(); ++i)
      different.insert({formula[i].begin(), formula[i].end()});
    EXPECT_EQ(different.size(), 45u);
    EXPECT_EQ(task->verify(example, example.output), (Verdict{true, true}));
    EXPECT_TRUE(task->explain(example, example.output).empty());

    const Model first = first_model(formula);
    ASSERT_TRUE(first);
    EXPECT_TRUE(task->verify(example, render_answer(*first, Notation::of(7))).correct);
#ifdef MGDM_HAVE_CADICAL
    const Model model = cadical_model(formula);
    ASSERT_TRUE(model);
    EXPECT_TRUE(Assignment(*model).satisfies(formula));
#endif
  }
  EXPECT_EQ(count, 1000);
}

}  // namespace
}  // namespace mgdm::tasks::sat
