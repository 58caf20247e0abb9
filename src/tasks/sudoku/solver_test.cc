#include "tasks/sudoku/solver.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "base/random.h"
#include "tasks/sudoku/generate.h"
#include "tasks/sudoku/test_support.h"
#include "tasks/sudoku/verify.h"

namespace mgdm::tasks::sudoku {
namespace {

int count_by(Rules rules, const Grid& puzzle, int limit) {
  int count = 0;
  std::uint64_t branches = 0;
  search(Candidates(puzzle), rules, branches, [&](const Grid&) { return ++count < limit; });
  return count;
}

TEST(SudokuSolver, SolvesAKnownPuzzle) {
  const Grid puzzle = parse_grid(kPuzzle);
  ASSERT_TRUE(first_solution(puzzle));
  EXPECT_EQ(render(*first_solution(puzzle)), kSolution);
  EXPECT_EQ(count_solutions(puzzle, 2), 1);
  EXPECT_EQ(first_solution(parse_grid(kSolution)), parse_grid(kSolution));
}

TEST(SudokuSolver, CountsSolutions) {
  // Three rectangles a b / b a, each within two boxes and in rows of its own: two ways for each.
  Grid several = parse_grid(kSolution);
  for (const std::size_t cell : {3u, 4u, 30u, 31u, 48u, 50u, 66u, 68u, 16u, 17u, 61u, 62u})
    several[cell] = 0;
  EXPECT_EQ(count_solutions(several, 1000), 8);
  EXPECT_EQ(count_solutions(several, 8), 8);
  EXPECT_EQ(count_solutions(several, 7), 7);
  EXPECT_EQ(count_solutions(several, 0), 0);
  EXPECT_NE(count_solutions(several, 2), 1);
  EXPECT_EQ(count_solutions(Grid{}, 500), 500);
}

TEST(SudokuSolver, FindsContradictions) {
  Grid twice{};
  twice[0] = twice[8] = 5;  // the same row
  EXPECT_EQ(first_solution(twice), std::nullopt);
  EXPECT_EQ(count_solutions(twice, 2), 0);

  Grid full = parse_grid(kSolution);
  std::swap(full[0], full[1]);  // breaks two columns
  EXPECT_EQ(first_solution(full), std::nullopt);

  // Row 1 lacks only a 9, and column 9 has one already.
  const Grid empty_cell =
      parse_grid("12345678." + std::string(8, '.') + "9" + std::string(63, '.'));
  EXPECT_EQ(first_solution(empty_cell), std::nullopt);

  // Row 1 has no place left for a 1: the ones below forbid box 1, box 2 and columns 7 to 9.
  Grid no_place{};
  no_place[9 * 1 + 0] = 1;
  no_place[9 * 2 + 3] = 1;
  no_place[9 * 3 + 6] = 1;
  no_place[9 * 6 + 7] = 1;
  no_place[8] = 2;
  EXPECT_EQ(first_solution(no_place), std::nullopt);
}

// Stronger rules prune the search and never the solutions.
TEST(SudokuSolver, RulesDoNotChangeTheCount) {
  for (std::uint32_t item = 0; item < 12; ++item) {
    Stream random(0, Purpose::kTest, item);
    Grid puzzle = minimal_puzzle(random_solution(random), random);
    for (int blanked = 0; blanked < 4;) {
      std::uint8_t& cell = puzzle[random.below(81)];
      if (cell != 0) cell = 0, ++blanked;
    }
    const int count = count_by(Rules::kLocked, puzzle, 50);
    EXPECT_GT(count, 1);
    EXPECT_EQ(count, count_by(Rules::kSingles, puzzle, 50));
    EXPECT_EQ(count, count_by(Rules::kNakedSingles, puzzle, 50));
  }
}

TEST(SudokuSolver, SolutionsAreDistinctAndTrue) {
  Stream random(0, Purpose::kTest, 0);
  Grid puzzle = minimal_puzzle(random_solution(random), random);
  for (int blanked = 0; blanked < 3;) {
    std::uint8_t& cell = puzzle[random.below(81)];
    if (cell != 0) cell = 0, ++blanked;
  }
  std::set<Grid> seen;
  std::uint64_t branches = 0;
  search(Candidates(puzzle), Rules::kLocked, branches, [&](const Grid& grid) {
    EXPECT_TRUE(is_solution(puzzle, render(grid)));
    EXPECT_TRUE(seen.insert(grid).second);
    return seen.size() < 100;
  });
  EXPECT_GT(seen.size(), 1u);
}

constexpr const char* kFullGrid =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

// The definition of Grade, written plainly: a set of digits per cell, one rule at a time.
class PlainGrader {
 public:
  std::uint64_t guesses = 0;

  // True when a solution was found.
  bool solve(std::array<unsigned, kCells> sets) {
    if (!singles(sets)) return false;
    std::size_t best = kCells;
    for (std::size_t cell = 0; cell < kCells; ++cell)
      if (size(sets[cell]) > 1 && (best == kCells || size(sets[cell]) < size(sets[best])))
        best = cell;
    if (best == kCells) return true;
    for (unsigned digit = 1; digit <= 9; ++digit) {
      if ((sets[best] >> digit & 1u) == 0) continue;
      ++guesses;
      auto next = sets;
      next[best] = 1u << digit;
      if (solve(next)) return true;
    }
    return false;
  }

  static std::array<unsigned, kCells> sets_of(const Grid& puzzle) {
    std::array<unsigned, kCells> sets;
    for (std::size_t cell = 0; cell < kCells; ++cell)
      sets[cell] = puzzle[cell] == 0 ? 0x3FEu : 1u << puzzle[cell];
    return sets;
  }

 private:
  static int size(unsigned set) {
    int count = 0;
    for (; set != 0; set &= set - 1) ++count;
    return count;
  }

  // False on a contradiction.
  static bool singles(std::array<unsigned, kCells>& sets) {
    for (bool changed = true; changed;) {
      const auto before = sets;
      for (const auto& unit : kUnits) {
        for (const std::uint8_t cell : unit)
          for (const std::uint8_t other : unit)
            if (other != cell && size(sets[cell]) == 1) sets[other] &= ~sets[cell];
        for (unsigned digit = 1; digit <= 9; ++digit) {
          int places = 0;
          std::size_t place = 0;
          for (const std::uint8_t cell : unit)
            if (sets[cell] >> digit & 1u) ++places, place = cell;
          if (places == 0) return false;
          if (places == 1) sets[place] = 1u << digit;
        }
      }
      for (const unsigned set : sets)
        if (set == 0) return false;
      changed = sets != before;
    }
    return true;
  }
};

TEST(SudokuGrade, NakedSingles) {
  // One blank: its row names the digit.
  Grid puzzle = parse_grid(kFullGrid);
  puzzle[40] = 0;
  EXPECT_EQ(grade(puzzle), (Grade{Level::kNakedSingles, 0}));
  EXPECT_EQ(grade(parse_grid(kFullGrid)), (Grade{Level::kNakedSingles, 0}));
}

TEST(SudokuGrade, HiddenSingles) {
  // By hand: each of the 13 blanks has two candidates of 1, 2 and 9. But in box 4 only row 6 column
  // 2 can be 1, since row 5 and column 3 have theirs; from there on naked singles do.
  const Grid puzzle = parse_grid(
      "534678912 67.1.5348 1.834.567 85.76.4.3 4.68537.1 7.39.4856 961537284 2874..635 345286179");
  EXPECT_FALSE(falls_to(puzzle, Rules::kNakedSingles));
  EXPECT_EQ(grade(puzzle), (Grade{Level::kHiddenSingles, 0}));
  Grid helped = puzzle;
  helped[9 * 5 + 1] = 1;
  EXPECT_EQ(grade(helped), (Grade{Level::kNakedSingles, 0}));
}

TEST(SudokuGrade, ManySolutions) {
  // Rows 1 and 4 have 6 7 / 7 6 in columns 4 and 5, which lie in one stack: without these four
  // givens both ways are right. The first guess, a 6 at row 1 column 4, fills the grid.
  Grid puzzle = parse_grid(kFullGrid);
  for (const std::size_t cell : {3u, 4u, 30u, 31u}) puzzle[cell] = 0;
  EXPECT_EQ(grade(puzzle), (Grade{Level::kManySolutions, 1}));
  EXPECT_EQ(grade(Grid{}).level, Level::kManySolutions);
}

TEST(SudokuGrade, NoSolution) {
  Grid puzzle{};
  puzzle[0] = puzzle[1] = 4;
  EXPECT_EQ(grade(puzzle), (Grade{Level::kNoSolution, 0}));
}

TEST(SudokuGrade, AgreesWithThePlainDefinition) {
  int guessed = 0;
  for (std::uint32_t item = 0; item < 40; ++item) {
    Stream random(1, Purpose::kTest, item);
    Grid puzzle = minimal_puzzle(random_solution(random), random);
    PlainGrader plain;
    ASSERT_TRUE(plain.solve(PlainGrader::sets_of(puzzle)));
    const Grade graded = grade(puzzle);
    EXPECT_EQ(graded.guesses, plain.guesses);
    EXPECT_EQ(graded.level == Level::kGuessing, plain.guesses > 0);
    guessed += plain.guesses > 0;

    // Without one of its givens the puzzle has many solutions.
    for (std::size_t cell = 0; cell < kCells; ++cell)
      if (puzzle[cell] != 0) {
        puzzle[cell] = 0;
        break;
      }
    PlainGrader first_of_many;
    ASSERT_TRUE(first_of_many.solve(PlainGrader::sets_of(puzzle)));
    EXPECT_EQ(grade(puzzle), (Grade{Level::kManySolutions, first_of_many.guesses}));
  }
  EXPECT_GT(guessed, 5);
}

}  // namespace

}  // namespace mgdm::tasks::sudoku
