#include <gtest/gtest.h>

#include <sstream>

#include "base/files.h"
#include "mgdm/mgdm.h"

namespace mgdm {
namespace {

GenerateOptions of_seed(std::uint64_t seed) {
  GenerateOptions options;
  options.seed = seed;
  return options;
}

TEST(Generate, AnyPartOfTheList) {
  const auto puzzles = generate("planning", 3, 7), last = generate("planning", 1, 7, false, 2);
  EXPECT_EQ(puzzles.at(2).input, last.at(0).input);
  EXPECT_EQ(generate("planning", 2, 7, false, 4294967294).size(), 2u);
}

TEST(Generate, TheListDoesNotBeginAgain) {
  EXPECT_THROW(generate("planning", 3, 7, false, 4294967294), Failure);
  EXPECT_THROW(generate("planning", std::size_t{1} << 33), Failure);
}

TEST(Generate, ByEveryOption) {
  GenerateOptions options = of_seed(7);
  EXPECT_EQ(generate("planning", 1, options).at(0).input, generate("planning", 1, 7).at(0).input);
  options.split = "test";
  options.first = 5;
  EXPECT_EQ(generate("planning", 1, options).at(0).input,
            generate("planning", 1, 7, true, 5).at(0).input);
  options.task_options = "nodes=3";
  EXPECT_LT(generate("planning", 1, options).at(0).input.size(),
            generate("planning", 1, 7, true, 5).at(0).input.size());
  const auto givens = [](const Puzzle& puzzle) {
    return 81 - std::count(puzzle.input.begin(), puzzle.input.end(), '0');
  };
  GenerateOptions hard;
  hard.task_options = "difficulty=hard";
  const auto minimal = generate("sudoku", 2, hard);
  EXPECT_LT(givens(minimal.at(0)), givens(generate("sudoku", 1).at(0)));
  hard.task_options += " guesses=10..";
  EXPECT_NE(generate("sudoku", 2, hard).at(1).input, minimal.at(1).input);
}

TEST(Generate, LabelsWithAnotherSolution) {
  GenerateOptions smallest;
  smallest.task_options = "labels=smallest";
  const auto usual = generate("countdown-5", 20), other = generate("countdown-5", 20, smallest);
  int different = 0;
  for (std::size_t i = 0; i < usual.size(); ++i) {
    EXPECT_EQ(other[i].input, usual[i].input);
    EXPECT_TRUE(verify("countdown-5", other[i], other[i].solution).correct) << other[i].solution;
    different += other[i].solution != usual[i].solution;
  }
  EXPECT_GT(different, 5);
}

TEST(Generate, DrawsNumbersUpToTheLargest) {
  GenerateOptions small;
  small.task_options = "largest=10";
  for (const Puzzle& puzzle : generate("countdown-4", 20, small)) {
    std::istringstream numbers(puzzle.input);
    for (int i = 0; i < 4; ++i) {
      int number = 0;
      char comma = 0;
      numbers >> number >> comma;
      EXPECT_TRUE(number >= 1 && number <= 10) << puzzle.input;
    }
  }
}

TEST(Generate, ThreadsChangeNothing) {
  GenerateOptions options = of_seed(3);
  const auto alone = generate("countdown-3", 50, options);
  options.threads = 3;
  const auto together = generate("countdown-3", 50, options);
  ASSERT_EQ(together.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(alone[i].input, together[i].input);
}

TEST(Generate, RefusesWhatMakesNoSense) {
  const auto refused = [](const std::string& task, auto change) {
    GenerateOptions options;
    change(options);
    try {
      generate(task, 1, options);
      return std::string("nothing");
    } catch (const Failure& failure) {
      EXPECT_FALSE(failure.expected().empty()) << failure.what();
      return failure.seen();
    }
  };
  EXPECT_EQ(refused("planning", [](auto& o) { o.split = "tset"; }), "split = \"tset\"");
  EXPECT_EQ(refused("planning", [](auto& o) { o.task_options = "nodes=51"; }), "nodes = 51");
  EXPECT_EQ(refused("planning", [](auto& o) { o.threads = -1; }), "threads = -1");
  EXPECT_NE(refused("countdown-4", [](auto& o) { o.task_options = "nodes=4"; }), "nothing");
  EXPECT_NE(refused("sudoku", [](auto& o) { o.task_options = "guesses=9..5"; }), "nothing");
  EXPECT_EQ(refused("countdown-4", [](auto& o) { o.task_options = "largest=9"; }), "largest = 9");
  EXPECT_EQ(refused("countdown-4", [](auto& o) { o.task_options = "labels=all"; }),
            "labels = \"all\"");
  EXPECT_NE(refused("sudoku", [](auto& o) { o.task_options = "labels=any"; }), "nothing");
}

TEST(Failure, HasItsParts) {
  try {
    generate("sudko", 1);
    FAIL();
  } catch (const std::runtime_error& error) {
    const auto* failure = dynamic_cast<const Failure*>(&error);
    ASSERT_NE(failure, nullptr);
    EXPECT_EQ(failure->seen(), "unknown task 'sudko'");
    EXPECT_NE(failure->expected().find("planning"), std::string::npos);
    EXPECT_NE(failure->hint().find("sudoku"), std::string::npos);
    for (const std::string& part : {failure->seen(), failure->expected(), failure->hint()})
      EXPECT_NE(std::string(failure->what()).find(part), std::string::npos);
  }
}

TEST(Files, AreReadAndChecked) {
  const std::string file = testing::TempDir() + "/mgdm_api_puzzles.jsonl";
  const Puzzle puzzle = generate("countdown-3", 1).at(0);
  {
    AtomicFile writer(file);
    writer.write("{\"input\": \"" + puzzle.input + "\", \"output\": \"" + puzzle.solution +
                 "\"}\n");
    writer.write("{\"input\": \"" + puzzle.input + "\"}\n");
    writer.commit();
  }
  const auto puzzles = read_puzzles("countdown-3", file);
  ASSERT_EQ(puzzles.size(), 2u);
  EXPECT_EQ(puzzles[0].solution, puzzle.solution);
  EXPECT_EQ(puzzles[1].input, puzzle.input);
  EXPECT_EQ(puzzles[1].solution, "");
  EXPECT_THROW(read_puzzles("sudoku", file), Failure);
  EXPECT_THROW(read_puzzles("sudoku", file + ".not"), Failure);
}

TEST(Verify, JudgesAndExplains) {
  const Judgement wrong = verify("countdown-4", {"86,28,13,31,96"}, "86+28=114");
  EXPECT_FALSE(wrong.correct);
  EXPECT_EQ(wrong.faults.at(0), "the last result is 114, the target 96");
  const auto solution = solve_exactly("countdown-4", "86,28,13,31,96");
  ASSERT_TRUE(solution);
  EXPECT_TRUE(verify("countdown-4", {"86,28,13,31,96", *solution}, *solution).correct);
  EXPECT_THROW(verify("countdown-4", {"nonsense"}, ""), Failure);
  EXPECT_EQ(solve_exactly("sat-5", "1,2,3/1,2,8/1,7,3/1,7,8/6,2,3/6,2,8/6,7,3/6,7,8"),
            std::nullopt);
}

}  // namespace
}  // namespace mgdm
