#include "tasks/sudoku/verify.h"

#include <gtest/gtest.h>

#include <string>

#include "base/random.h"
#include "tasks/sudoku/generate.h"
#include "tasks/sudoku/test_support.h"

namespace mgdm::tasks::sudoku {
namespace {

std::vector<Fault> faults_of(const std::string& answer, const Grid& puzzle = parse_grid(kPuzzle)) {
  const std::vector<Fault> faults = explain(puzzle, answer);
  EXPECT_EQ(faults.empty(), is_solution(puzzle, answer));
  return faults;
}

const Fault* find(const std::vector<Fault>& faults, std::string_view category, int where) {
  for (const Fault& fault : faults)
    if (fault.category == category && fault.where == where) return &fault;
  return nullptr;
}

TEST(SudokuVerify, TheSolutionIsRightByBothMetrics) {
  EXPECT_EQ(verify(parse_grid(kPuzzle), kSolution, kSolution), (Verdict{true, true}));
  EXPECT_TRUE(faults_of(kSolution).empty());
}

TEST(SudokuVerify, TheMetricsDifferOnAnotherSolution) {
  // Rows 1 and 4 have 6 7 / 7 6 in columns 4 and 5, so the blank grid has the exchanged one too.
  std::string other = kSolution;
  std::swap(other[3], other[4]);
  std::swap(other[30], other[31]);
  EXPECT_EQ(verify(Grid{}, kSolution, other), (Verdict{true, false}));
  EXPECT_EQ(verify(Grid{}, "", other), (Verdict{true, true}));
  EXPECT_EQ(verify(parse_grid(kPuzzle), kSolution, other), (Verdict{false, false}));
  // A wrong label is still the paper's truth.
  EXPECT_EQ(verify(Grid{}, "123", "123"), (Verdict{false, true}));
}

TEST(SudokuVerify, WrongLength) {
  for (const std::string& answer : {std::string(), kSolution.substr(1), kSolution + "1"}) {
    EXPECT_EQ(verify(parse_grid(kPuzzle), kSolution, answer), (Verdict{false, false}));
    const auto faults = faults_of(answer);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].category, "wrong length");
    EXPECT_EQ(faults[0].where, 0);
  }
  EXPECT_EQ(faults_of("12")[0].words, "the answer has 2 characters, a grid has 81");
}

TEST(SudokuVerify, NotADigitAndBlankCell) {
  std::string answer = kSolution;
  answer[2] = '0';
  answer[3] = '.';
  answer[80] = 'a';
  const auto faults = faults_of(answer);
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_EQ(faults[0].category, "not a digit");
  EXPECT_EQ(faults[0].where, 81);
  EXPECT_EQ(faults[0].words, "row 9 column 9 holds 'a', not a digit 1-9");
  EXPECT_EQ(faults[1].category, "blank cell");
  EXPECT_EQ(faults[1].where, 3);
  EXPECT_EQ(faults[1].words, "row 1 column 3 is left blank");
  EXPECT_EQ(faults[2].where, 4);
}

TEST(SudokuVerify, GivenChanged) {
  // Another solved grid altogether: every digit one higher.
  std::string answer = kSolution;
  for (char& c : answer) c = c == '9' ? '1' : static_cast<char>(c + 1);
  EXPECT_TRUE(is_solution(Grid{}, answer));
  const auto faults = faults_of(answer);
  ASSERT_EQ(faults.size(), 30u);  // the puzzle's givens
  EXPECT_EQ(faults[0].category, "given changed");
  EXPECT_EQ(faults[0].where, 1);
  EXPECT_EQ(faults[0].words, "row 1 column 1 is given as 5, the answer has 6");
}

TEST(SudokuVerify, Clashes) {
  // Row 3 is 1 9 8 3 4 2 5 6 7; a 7 for the 9 in column 2 clashes in row, column and box.
  std::string answer = kSolution;
  answer[9 * 2 + 1] = '7';
  const auto faults = faults_of(answer, Grid{});
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_EQ(faults[0].category, "row clash");
  EXPECT_EQ(faults[0].where, 3);
  EXPECT_EQ(faults[0].words, "row 3 has 7 twice (columns 2 and 9)");
  EXPECT_EQ(faults[1].category, "column clash");
  EXPECT_EQ(faults[1].where, 2);
  EXPECT_EQ(faults[1].words, "column 2 has 7 twice (rows 2 and 3)");
  EXPECT_EQ(faults[2].category, "box clash");
  EXPECT_EQ(faults[2].where, 1);
  EXPECT_EQ(faults[2].words, "box 1 has 7 twice (row 2 column 2 and row 3 column 2)");
}

TEST(SudokuVerify, CountsMoreThanTwo) {
  const auto faults = faults_of(std::string(81, '1'), Grid{});
  EXPECT_EQ(faults.size(), 27u);
  const Fault* column = find(faults, "column clash", 4);
  ASSERT_NE(column, nullptr);
  EXPECT_EQ(column->words, "column 4 has 1 9 times (rows 1, 2, 3, 4, 5, 6, 7, 8 and 9)");
}

TEST(SudokuVerify, AGivenChangedComesBeforeItsClashes) {
  std::string answer = kSolution;
  answer[0] = '4';
  EXPECT_EQ(faults_of(answer).front().category, "given changed");
}

TEST(SudokuVerify, ExplainsExactlyWhatIsWrong) {
  Stream random(13, Purpose::kTest, 0);
  int right = 0;
  for (int i = 0; i < 400; ++i) {
    const Grid solution = random_solution(random);
    const Grid puzzle = easy_puzzle(solution, random);
    std::string answer = render(solution);
    for (std::uint32_t changes = random.below(3); changes > 0; --changes)
      answer[random.below(81)] = "0123456789.x"[random.below(12)];
    const Verdict verdict = verify(puzzle, render(solution), answer);
    EXPECT_EQ(verdict.correct, answer == render(solution));  // the solution is unique
    EXPECT_EQ(verdict.correct_paper, verdict.correct);
    EXPECT_EQ(explain(puzzle, answer).empty(), verdict.correct);
    right += verdict.correct;
  }
  EXPECT_GT(right, 50);
}

TEST(SudokuVerify, GivensThatClash) {
  EXPECT_FALSE(clash_of_givens(parse_grid(kPuzzle)));
  EXPECT_FALSE(clash_of_givens(Grid{}));
  const auto words = [](std::initializer_list<std::size_t> cells) {
    Grid grid{};
    for (const std::size_t cell : cells) grid[cell] = 5;
    const auto fault = clash_of_givens(grid);
    EXPECT_EQ(fault.value().category, "givens clash");
    return fault->words;
  };
  EXPECT_EQ(words({0, 8}), "the givens clash: row 1 has 5 twice (columns 1 and 9)");
  EXPECT_EQ(words({1, 73}), "the givens clash: column 2 has 5 twice (rows 1 and 9)");
  EXPECT_EQ(words({0, 10}),
            "the givens clash: box 1 has 5 twice (row 1 column 1 and row 2 column 2)");
}

}  // namespace
}  // namespace mgdm::tasks::sudoku
