#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "tasks/all_tasks.h"
#include "tasks/planning/generate.h"
#include "tasks/planning/problem.h"
#include "tasks/planning/verify.h"

namespace mgdm::tasks::planning {
namespace {

// From the paper's released test file; the fork is node 2, the second of the path: distance 4.
constexpr const char* kInput = "6,2/2,10/1,9/2,0/5,3/0,11/4,1/10,4/8,2/11,5-8,3";
constexpr const char* kPath = "8,2/2,0/0,11/11,5/5,3";

TEST(PlanningProblem, ParsesAndRenders) {
  const Problem problem = parse_problem(kInput);
  EXPECT_EQ(problem.edges.size(), 10u);
  EXPECT_EQ(problem.start, 8);
  EXPECT_EQ(problem.goal, 3);
  EXPECT_EQ(render(problem), kInput);
  for (const char* bad :
       {"", "1,2", "1,2-", "1,2-3", "1,2-3,4,5", "1,2/-3,4", "1,2//3,4-1,2", "a,b-1,2", "1,2-1,200",
        "1,2-01,2", "1,2/3-1,2", "-1,2", "1,2/2,1-1,1"})  // starts at its goal
    EXPECT_THROW(parse_problem(bad), Error) << bad;
}

TEST(PlanningProblem, FindsThePathAndItsDistance) {
  const Problem problem = parse_problem(kInput);
  EXPECT_EQ(render(find_path(problem).value()), kPath);
  EXPECT_EQ(planning_distance(problem, find_path(problem).value()), 4);
  EXPECT_FALSE(find_path(parse_problem("1,2/2,1-1,3")));  // a circle ends too
  EXPECT_EQ(render(reversed(*parse_edges(kPath))), "3,5/5,11/11,0/0,2/2,8");
}

TEST(PlanningProblem, FindsWhereOneMustLookAhead) {
  const auto place = [](const char* input) {
    const Problem problem = parse_problem(input);
    return place_of_choice(problem, find_path(problem).value());
  };
  EXPECT_EQ(place(kInput), 6u);            // 8,2/2,0 rather than 8,2/2,10
  EXPECT_EQ(place("1,12/1,13-1,12"), 3u);  // 1,12 rather than 1,13
  EXPECT_EQ(place("1,12/1,1-1,12"), 3u);   // 1,12 rather than 1,1/
  EXPECT_EQ(place("4,1/4,12-4,1"), 3u);    // 4,1 and its end, rather than 4,12
  EXPECT_EQ(place("1,2/2,3-1,3"), std::nullopt);
  const auto task = make_task("planning", {"nodes=6"});
  for (std::uint32_t item = 0; item < 100; ++item) {
    const Example example = task->generate(0, Split::kTrain, item);
    EXPECT_EQ(task->abilities().lookahead->hard_subgoal(example).has_value(),
              task->abilities().lookahead->planning_distance(example) > 0);
  }
}

TEST(PlanningVerify, BothMetrics) {
  const auto task = make_task("planning", {"nodes=6"});
  const Example example{kInput, kPath};
  EXPECT_EQ(task->verify(example, kPath), (Verdict{true, true}));
  EXPECT_EQ(task->verify(example, "3,5/5,11/11,0/0,2/2,8"), (Verdict{false, true}));
  EXPECT_EQ(task->verify(example, "8,2/2,10/10,4/4,1/1,9"), (Verdict{false, false}));
  EXPECT_EQ(task->verify(example, ""), (Verdict{false, false}));
  EXPECT_EQ(task->verify({kInput, ""}, kPath), (Verdict{true, true}));  // the label can be found
}

std::pair<std::string, int> first_fault(const std::string& answer) {
  const auto faults = explain(parse_problem(kInput), answer);
  return faults.empty() ? std::pair<std::string, int>{"none", 0}
                        : std::pair{faults[0].category, faults[0].where};
}

TEST(PlanningExplain, Categories) {
  using Fault = std::pair<std::string, int>;
  EXPECT_EQ(first_fault(kPath), Fault("none", 0));
  EXPECT_EQ(first_fault("8,2/2,0/0,5/5,3"), Fault("illegal edge", 3));
  EXPECT_EQ(first_fault("8,2/0,11/11,5/5,3"), Fault("broken chain", 2));
  EXPECT_EQ(first_fault("6,2/2,0/0,11/11,5/5,3"), Fault("broken chain", 1));
  EXPECT_EQ(first_fault("8,2/2,10/10,4/4,1/1,9"), Fault("wrong branch", 2));
  EXPECT_EQ(first_fault("8,2/2,0"), Fault("stops short", 2));
  EXPECT_EQ(first_fault("8-2"), Fault("malformed answer", 0));
}

TEST(PlanningGenerate, ShapeOfThePuzzles) {
  for (const int nodes : {2, 4, 6, 12}) {
    const auto task = make_task("planning", {fmt::format("nodes={}", nodes)});
    std::map<int, int> distances;
    constexpr int kItems = 1200;
    for (std::uint32_t item = 0; item < kItems; ++item) {
      const Example example = task->generate(0, Split::kTrain, item);
      const Problem problem = parse_problem(example.input);
      ASSERT_EQ(problem.edges.size(), 2u * static_cast<unsigned>(nodes - 1));
      std::set<int> used;
      for (const Edge& edge : problem.edges) used.insert({edge.from, edge.to});
      ASSERT_EQ(used.size(), 2u * static_cast<unsigned>(nodes) - 1);  // one node is shared
      ASSERT_LT(*used.rbegin(), 2 * nodes);
      ASSERT_EQ(parse_edges(example.output)->size(), static_cast<std::size_t>(nodes - 1));
      ASSERT_EQ(task->verify(example, example.output), (Verdict{true, true}));
      ASSERT_EQ(task->solve(example.input), example.output);
      ++distances[task->abilities().lookahead->planning_distance(example)];
    }
    // The crossing is uniform over the positions, so the distance over 0 .. nodes-1.
    ASSERT_EQ(distances.size(), static_cast<std::size_t>(nodes));
    const double p = 1.0 / nodes, sigma = std::sqrt(kItems * p * (1 - p));
    for (const auto& [distance, n] : distances) EXPECT_NEAR(n, kItems * p, 5 * sigma) << distance;
  }
}

TEST(PlanningGenerate, SplitsDoNotMeetWhateverTheEdgeOrder) {
  const auto task = make_task("planning", {"nodes=6"});
  for (std::uint32_t item = 0; item < 200; ++item) {
    for (const Split split : {Split::kTrain, Split::kTest}) {
      Problem problem = parse_problem(task->generate(0, split, item).input);
      Stream(0, Purpose::kTest, item).shuffle(std::span<Edge>(problem.edges));
      EXPECT_EQ(in_test_split(canonical_form(problem)), split == Split::kTest);
    }
  }
}

TEST(PlanningGenerate, TwinsOfTrainingPuzzlesStayInTraining) {
  const auto task = make_task("planning", {"nodes=4"});
  for (std::uint32_t item = 0; item < 500; ++item) {
    Stream random(0, Purpose::kTest, item);
    const Example copy =
        task->abilities().symmetries->augment(task->generate(0, Split::kTrain, item), random);
    EXPECT_FALSE(in_test_split(canonical_form(parse_problem(copy.input)))) << copy.input;
  }
}

// A chain of three nodes and another one that crosses it have five of the six names 0 to 5.
TEST(PlanningGenerate, TwinsUseAllNamesOfThePuzzlesSize) {
  const auto task = make_task("planning", {"nodes=3"});
  Stream random(0, Purpose::kTest, 0);
  std::set<int> names;
  for (int i = 0; i < 200; ++i)
    for (const Edge& edge :
         parse_problem(task->abilities()
                           .symmetries->augment({"0,1/1,2/3,1/1,4-0,2", "0,1/1,2"}, random)
                           .input)
             .edges)
      names.insert({edge.from, edge.to});
  EXPECT_EQ(names, (std::set<int>{0, 1, 2, 3, 4, 5}));
}

TEST(PlanningGenerate, SomeTwinIsAsLongAsTheLongest) {
  const auto task = make_task("planning", {"nodes=6"});
  // The second is somebody else's: a node beyond the usual names.
  for (const Example& example :
       {task->generate(0, Split::kTrain, 0), Example{"0,1/1,12-0,12", ""}}) {
    const Example solved{example.input, task->solve(example.input).value()};
    Stream random(0, Purpose::kTest, 0);
    std::size_t longest = 0;
    for (int i = 0; i < 5000; ++i) {
      const Example copy = task->abilities().symmetries->augment(solved, random);
      longest = std::max(longest, copy.input.size() + copy.output.size());
    }
    EXPECT_EQ(longest, task->abilities().symmetries->longest_copy(solved)) << solved.input;
  }
}

TEST(PlanningGenerate, RefusesOtherSizes) {
  EXPECT_THROW(make_task("planning", {"nodes=1"}), UsageError);
  EXPECT_THROW(make_task("planning", {"nodes=51"}), UsageError);
}

TEST(Planning, SaysWhatSizesAreNeverDrawn) {
  const auto four = make_task("planning", {"nodes=4"}, true);
  for (std::uint32_t item = 0; item < 50; ++item)
    EXPECT_FALSE(four->unfamiliar(four->generate(0, Split::kTrain, item).input));
  const std::string small = four->generate(0, Split::kTest, 0).input;
  const auto six = make_task("planning", {"nodes=6"}, true);
  EXPECT_FALSE(six->unfamiliar(small));  // padding mends that
  EXPECT_EQ(four->unfamiliar(six->generate(0, Split::kTrain, 0).input), "10 edges are not the 6");
  EXPECT_EQ(four->unfamiliar("0,1/2,3/4,5/6,7/7,1-0,1"),
            "5 edges are not the 6");                      // all names used
  EXPECT_FALSE(make_task("planning")->unfamiliar(small));  // nobody said what it knows
}

// The larger puzzle has one path, whose end is the path of the smaller one.
TEST(PlanningPadding, KeepsThePath) {
  const auto learned = make_task("planning", {"nodes=6"}, true);
  const Padding& padding = *learned->abilities().padding;
  for (const std::string nodes : {"nodes=2", "nodes=3", "nodes=5"}) {
    const auto task = make_task("planning", {nodes});
    for (std::uint32_t item = 0; item < 50; ++item) {
      const Example example = task->generate(0, Split::kTest, item);
      const auto padded = padding.padded(example.input);
      ASSERT_TRUE(padded) << example.input;
      EXPECT_EQ(parse_problem(padded->input).edges.size(), 10u);
      const auto path = learned->solve(padded->input);
      ASSERT_TRUE(path) << padded->input;
      EXPECT_EQ(parse_edges(*path)->size(), 5u);
      EXPECT_EQ(padded->own_answer(*path), example.output);
    }
  }
  EXPECT_FALSE(padding.padded(learned->generate(0, Split::kTest, 0).input));
}

TEST(PlanningPadding, RenamesNodesThatNoPuzzleHas) {
  const auto learned = make_task("planning", {"nodes=3"}, true);
  const auto padded = learned->abilities().padding->padded("90,1/1,7-90,7");
  ASSERT_TRUE(padded);
  for (const Edge& edge : parse_problem(padded->input).edges) {
    EXPECT_LT(edge.from, 6);
    EXPECT_LT(edge.to, 6);
  }
  EXPECT_EQ(padded->own_answer(*learned->solve(padded->input)), "90,1/1,7");
  EXPECT_EQ(padded->own_answer("no path"), "no path");
}

}  // namespace
}  // namespace mgdm::tasks::planning
