// Countdown by the text of a search.
#include "tasks/countdown/search_text.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "tasks/all_tasks.h"
#include "tasks/countdown/search.h"
#include "tasks/countdown/stream_of_search.h"
#include "tasks/released.h"
#include "tasks/score.h"

namespace mgdm::tasks::countdown {
namespace {

const Problem kThree{{38, 86, 91}, 43};
const std::string kFound =
    "Current State: 43:[38, 86, 91], Operations: []\n"
    "Exploring Operation: 91-86=5, Resulting Numbers: [38, 5]\n"
    "Generated Node #0,0: 43:[38, 5] Operation: 91-86=5\n"
    "Moving to Node #0,0\n"
    "Current State: 43:[38, 5], Operations: ['91-86=5']\n"
    "Exploring Operation: 38-5=33, Resulting Numbers: [33]\n"
    "33,43 unequal: No Solution\n"
    "Exploring Operation: 38+5=43, Resulting Numbers: [43]\n"
    "43,43 equal: Goal Reached";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.rfind(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(SearchText, SolutionIsTheLastStateAndTheLastOperation) {
  EXPECT_EQ(found_solution(kFound), "91-86=5,38+5=43");
  EXPECT_EQ(found_solution(kFound + "\n"), "91-86=5,38+5=43");
  // A text that never gets there, or goes on, is not finished.
  EXPECT_EQ(found_solution(kFound.substr(0, kFound.size() - 1)), "");
  EXPECT_EQ(found_solution(kFound + "\nMoving to Node #0,1\n"), "");
  for (const char* text : {"", "equal: Goal Reached", ",43 equal: Goal Reached",
                           "4, equal: Goal Reached", "43,43 equal: Goal Reached",
                           "Current State: 43:[1], Operations: [\n43,43 equal: Goal Reached"})
    EXPECT_EQ(found_solution(text), "") << text;
}

TEST(SearchText, MetricsDifferWhereTheReleasedOneIsLenient) {
  const auto task = make_task("search-3");
  const Example example{"38,86,91,43", ""};
  const auto verdict = [&](const std::string& text) { return judge(*task, example, text); };
  EXPECT_EQ(verdict(kFound + "[EOS][PAD]"), (Verdict{true, true}));
  EXPECT_EQ(verdict(kFound), (Verdict{true, true}));
  EXPECT_EQ(verdict(kFound + "\nMoving to[PAD]"), (Verdict{false, true}));
  EXPECT_EQ(verdict("No solution found."), (Verdict{false, false}));
  // A false equation, a number that is not there, another target.
  EXPECT_EQ(verdict(with(kFound, "38+5=43", "38+6=43")), (Verdict{false, false}));
  EXPECT_EQ(verdict(with(kFound, "38+5=43", "39+4=43")), (Verdict{false, false}));
  EXPECT_EQ(verdict(with(kFound, "38+5=43", "38+5=44")), (Verdict{false, false}));
  // Used twice, or not at all: that is only seen by the strict one.
  const std::string twice = with(with(kFound, "['91-86=5']",
                                      "['91-86=5', '5*5=25', '38-5=33', "
                                      "'5+5=10', '33+10=43']"),
                                 "38+5=43", "43*1=43");
  EXPECT_FALSE(verdict(twice).correct);
  EXPECT_FALSE(verdict(twice).correct_paper);  // 1 was never made
  const std::string again =
      with(with(kFound, "['91-86=5']", "['91-86=5', '5+5=10', '38-5=33']"), "38+5=43", "33+10=43");
  EXPECT_EQ(verdict(again), (Verdict{false, true}));
  // It must begin with the puzzle for the released one.
  EXPECT_EQ(verdict(kFound.substr(kFound.find('\n') + 1)), (Verdict{true, false}));
  // The text must be shorter than a search through everything: 48 operations.
  std::string lengthy = kFound;
  for (int i = 0; i < 44; ++i)
    lengthy.insert(lengthy.find("Moving"),
                   "Exploring Operation: 91-86=5, Resulting Numbers: [5]\n");
  EXPECT_EQ(verdict(lengthy), (Verdict{true, false}));
  EXPECT_EQ(task->explain(example, "nothing").front().category, "goal not reached");
  EXPECT_TRUE(task->explain(example, kFound).empty());
  EXPECT_EQ(task->explain(example, with(kFound, "38+5=43", "38+6=43")).front().category,
            "calculation error");
}

TEST(SearchText, OptimalPathIsWhatTheReleasedCodeWrites) {
  const Problem problem{{9, 4, 4, 10}, 34};
  const std::vector<Equation> solution{{9, '*', 4, 36}, {36, '-', 4, 32}, {32, '+', 10, 42}};
  EXPECT_EQ(optimal_path(problem, solution, Twins::kAllGo),
            "Current State: 34:[9, 4, 4, 10], Operations: []\n"
            "Exploring Operation: 9*4=36, Resulting Numbers: [10, 36]\n"
            "Generated Node #2: [10, 36] from Operation: 9*4=36\n"
            "Current State: 34:[10, 36], Operations: ['9*4=36']\n"
            "Exploring Operation: 36-4=32, Resulting Numbers: [10, 32]\n"
            "Generated Node #3: [10, 32] from Operation: 36-4=32\n"
            "Current State: 34:[10, 32], Operations: ['9*4=36', '36-4=32']\n"
            "Exploring Operation: 32+10=42, Resulting Numbers: [42]\n"
            "42,34 equal: Goal Reached\n");
  EXPECT_NE(optimal_path(problem, solution).find("Resulting Numbers: [4, 10, 36]"),
            std::string::npos);
}

TEST(SearchTasks, KeepTheContract) {
  for (const std::string& name : variant_names()) {
    const auto task = make_task(name);
    if (!task->abilities().generates) continue;
    const bool optimal = name.starts_with("optimal");
    EXPECT_EQ(task->name(), name);
    const auto countdown = make_task("countdown-" + name.substr(name.size() - 1));
    int right = 0;
    const std::uint32_t items = name.back() == '5' ? 4 : 30;
    for (std::uint32_t item = 0; item < items; ++item)
      for (const Split split : {Split::kTrain, Split::kTest}) {
        const Example example = task->generate(1, split, item);
        EXPECT_EQ(example, task->generate(1, split, item));
        EXPECT_EQ(example.input, countdown->generate(1, split, item).input);
        EXPECT_EQ(task->normalize_input(" " + example.input + "\n"), example.input);
        const Verdict verdict = task->verify(example, example.output);
        right += verdict.correct;
        EXPECT_EQ(task->explain(example, example.output).empty(), verdict.correct);
        EXPECT_EQ(task->verify(example, task->solve(example.input).value()).correct, true);
        if (optimal) {
          EXPECT_EQ(verdict, (Verdict{true, true})) << example.output;
          EXPECT_EQ(task->solve(example.input), example.output);
        }
      }
    // Some searches fail, by their nature.
    EXPECT_GT(right, 0);
    EXPECT_EQ(right == 2 * static_cast<int>(items), optimal);
    EXPECT_THROW(task->verify({"nonsense", ""}, ""), Error);
  }
  EXPECT_THROW(make_task("search-6"), UsageError);
  EXPECT_THROW(make_task("optimal-2"), UsageError);
}

TEST(SearchTasks, ReleasedExamplesAreTheTraces) {
  const auto plain = make_task("countdown-3")->abilities().released->released(Split::kTrain);
  const auto search = make_task("search-3")->abilities().released->released(Split::kTrain);
  const auto optimal = make_task("optimal-3")->abilities().released->released(Split::kTrain);
  for (int i = 0; i < 50; ++i) {
    const Example label = plain->next(), trace = search->next(), path = optimal->next();
    EXPECT_EQ(trace.input, label.input);  // they draw alike
    EXPECT_EQ(path.input, label.input);
    EXPECT_EQ(search->trace_line(), plain->trace_line());
    EXPECT_TRUE(trace.output.starts_with("Current State: "));
    EXPECT_FALSE(trace.output.ends_with('\n'));
  }
}

// The rating of the generator is above 0 just where the released metric finds a solution.
TEST(SearchTasks, GoldenTracesAreRatedAsTheirGeneratorDoes) {
  const char* folder = std::getenv("MGDM_TEST_DATA");
  if (folder == nullptr) GTEST_SKIP() << "MGDM_TEST_DATA is not set";
  const std::string lines = read_file(std::string(folder) + "/sos/traces_seed4.jsonl");
  const auto task = make_task("search-4");
  const auto search = task->abilities().released->released(Split::kTrain);
  int right = 0, count = 0;
  for (const std::string_view line : split(lines, '\n')) {
    if (line.empty()) continue;
    const Example example = search->next();
    const bool rated = line.find("\"rating\": 0.0,") == std::string_view::npos;
    EXPECT_EQ(task->verify(example, example.output), (Verdict{rated, rated})) << count;
    right += rated;
    ++count;
  }
  EXPECT_EQ(count, 60);
  EXPECT_GT(right, 20);
}

}  // namespace
}  // namespace mgdm::tasks::countdown
