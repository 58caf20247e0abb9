#include "tasks/sudoku/task.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "tasks/sudoku/grid.h"
#include "tasks/sudoku/solver.h"
#include "tasks/sudoku/symmetry.h"

namespace mgdm::tasks::sudoku {
namespace {

class SudokuTask : public testing::TestWithParam<Difficulty> {
 protected:
  std::unique_ptr<Task> task_ = make_sudoku(GetParam());
};

TEST_P(SudokuTask, GeneratesPuzzlesWithTheirSolution) {
  std::set<std::string> seen;
  for (std::uint32_t item = 0; item < 20; ++item)
    for (const Split split : {Split::kTrain, Split::kTest}) {
      const Example example = task_->generate(0, split, item);
      EXPECT_TRUE(seen.insert(example.input).second);
      EXPECT_EQ(task_->generate(0, split, item), example);
      EXPECT_EQ(task_->normalize_input(example.input), example.input);
      EXPECT_EQ(task_->solve(example.input), example.output);
      EXPECT_EQ(task_->verify(example, example.output), (Verdict{true, true}));
      EXPECT_TRUE(task_->explain(example, example.output).empty());
      EXPECT_EQ(task_->verify(example, example.input), (Verdict{false, false}));
      EXPECT_FALSE(task_->explain(example, example.input).empty());
      EXPECT_EQ(in_test_split(invariant(parse_grid(example.output))), split == Split::kTest);
    }
  EXPECT_NE(task_->generate(0, Split::kTrain, 0), task_->generate(1, Split::kTrain, 0));
}

TEST(SudokuDrawn, HasLinesBetweenItsBoxes) {
  std::string digits, grid;
  for (int row = 0; row < 9; ++row) {
    digits += "123456789";
    if (row > 0) grid += row % 3 == 0 ? "\n------+-------+------\n" : "\n";
    grid += "1 2 3 | 4 5 6 | 7 8 9";
  }
  EXPECT_EQ(make_sudoku(Difficulty::kEasy)->drawn(digits), grid);
}

TEST(SudokuGuesses, KeepOnlyPuzzlesThatTakeSoMany) {
  const auto task = make_sudoku(Difficulty::kHard, Guesses{3, 8});
  for (std::uint32_t item = 0; item < 10; ++item) {
    const Example example = task->generate(0, Split::kTrain, item);
    const std::uint64_t guesses = grade(parse_grid(example.input)).guesses;
    EXPECT_GE(guesses, 3u);
    EXPECT_LE(guesses, 8u);
    EXPECT_EQ(task->solve(example.input), example.output);
    EXPECT_EQ(task->generate(0, Split::kTrain, item), example);
  }
  EXPECT_THROW(make_sudoku(Difficulty::kEasy, Guesses{3, 8}), UsageError);
}

TEST(SudokuGuesses, ThatNoPuzzleTakesAreNotLookedForWithoutEnd) {
  const auto most_of = [](std::int64_t patience) {
    try {
      make_sudoku(Difficulty::kHard, Guesses{1'000'000, 2'000'000}, patience)
          ->generate(0, Split::kTrain, 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.seen(),
                fmt::format("none of {} minimal Sudokus takes so many guesses", patience));
      return error.hint();
    }
    return std::string("generated");
  };
  // The first that it makes is what it makes for those who take any.
  const auto any = make_sudoku(Difficulty::kHard);
  const std::uint64_t first = any->abilities().graded->guesses(any->generate(0, Split::kTrain, 0));
  EXPECT_EQ(most_of(1), fmt::format("the hardest of these takes {}", first));
  EXPECT_NE(most_of(50), most_of(1));  // of fifty another takes more
}

TEST(SudokuGuesses, AreReadFromText) {
  EXPECT_EQ(parse_guesses(""), std::nullopt);
  EXPECT_EQ(parse_guesses("7"), (Guesses{7, 7}));
  EXPECT_EQ(parse_guesses("5..9"), (Guesses{5, 9}));
  EXPECT_EQ(parse_guesses("10..")->low, 10u);
  EXPECT_GT(parse_guesses("10..")->high, std::uint64_t{1} << 60);
  EXPECT_EQ(parse_guesses("..4"), (Guesses{0, 4}));
  for (const char* wrong : {"9..5", "x", "-1", "3.5", "5...9", "1..2..3"})
    EXPECT_THROW(parse_guesses(wrong), UsageError) << wrong;
}

TEST_P(SudokuTask, SpeaksOfItself) {
  EXPECT_EQ(task_->name(), "sudoku");
  EXPECT_FALSE(task_->about().empty());
  EXPECT_EQ(task_->abilities().lookahead, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Both, SudokuTask, testing::Values(Difficulty::kEasy, Difficulty::kHard),
                         [](const auto& difficulty) {
                           return difficulty.param == Difficulty::kEasy ? "easy" : "hard";
                         });

TEST(SudokuTask, ExtremePuzzlesDependOnSeedAndNumberAlone) {
  const auto task = make_sudoku(Difficulty::kExtreme, parse_guesses("5.."));
  const auto again = make_sudoku(Difficulty::kExtreme, parse_guesses("5.."));
  const Example second = again->generate(1, Split::kTrain, 17);  // before the first of its walk
  const Example first = task->generate(1, Split::kTrain, 1);
  EXPECT_EQ(task->generate(1, Split::kTrain, 17).input, second.input);
  EXPECT_EQ(again->generate(1, Split::kTrain, 1).input, first.input);
  EXPECT_NE(first.input, second.input);
  EXPECT_EQ(task->solve(second.input), second.output);
  EXPECT_FALSE(in_test_split(invariant(parse_grid(second.output))));
  const Example test = task->generate(1, Split::kTest, 0);
  EXPECT_TRUE(in_test_split(invariant(parse_grid(test.output))));
}

TEST(SudokuTask, ExtremePuzzlesDoNotRepeat) {
  const auto task = make_sudoku(Difficulty::kExtreme, parse_guesses("2.."));
  std::set<std::string> inputs;
  for (std::uint32_t k = 0; k < 100; ++k)
    inputs.insert(task->generate(2, Split::kTrain, 16 * k).input);  // of one walk
  EXPECT_EQ(inputs.size(), 100u);
}

TEST(SudokuTask, ExtremePuzzlesMayBeTooHardToFind) {
  const auto task = make_sudoku(Difficulty::kExtreme, parse_guesses("1000000.."), /*patience=*/20);
  EXPECT_THROW(task->generate(1, Split::kTrain, 0), Error);
}

TEST(SudokuTaskText, NormalizesWhatPeopleType) {
  const auto task = make_sudoku(Difficulty::kEasy);
  std::string lines, digits;
  for (int row = 0; row < 9; ++row) {
    lines += "1.......0\n";
    digits += "100000000";
  }
  EXPECT_EQ(task->normalize_input("  " + lines), digits);
  EXPECT_THROW(task->normalize_input("12345"), Error);
  EXPECT_THROW(task->normalize_input("3,7,5,24"), Error);
  EXPECT_THROW(task->verify({"12345", ""}, digits), Error);
  EXPECT_THROW(task->solve(""), Error);
}

TEST(SudokuTaskText, SolvesWhatHasASolution) {
  const auto task = make_sudoku(Difficulty::kEasy);
  EXPECT_EQ(task->solve(std::string(81, '1')), std::nullopt);
  const std::string blank(81, '.');
  const auto solution = task->solve(blank);
  ASSERT_TRUE(solution);
  EXPECT_TRUE(task->verify({blank, ""}, *solution).correct);
}

}  // namespace
}  // namespace mgdm::tasks::sudoku
