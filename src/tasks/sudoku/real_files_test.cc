// Published collections, when MGDM_TEST_DATA names a folder that holds them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "formats/test_support.h"
#include "tasks/sudoku/solver.h"
#include "tasks/sudoku/task.h"
#include "tasks/sudoku/verify.h"

namespace mgdm::tasks::sudoku {
namespace {

class SudokuFiles : public testing::Test {
 protected:
  // Empty, and the test skipped, where the file is not there.
  static std::string path_of(const std::string& name) {
    const char* const folder = std::getenv("MGDM_TEST_DATA");
    if (folder == nullptr) return "";
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    return std::filesystem::exists(path) ? path.string() : "";
  }

  // Solves all, checks that each solution is one and the only one, and counts the levels.
  static std::map<Level, int> levels(const std::string& path) {
    std::map<Level, int> counts;
    for (const formats::SudokuRecord& record : formats::read_sudokus(path)) {
      const Grid puzzle = parse_grid(record.puzzle);
      const auto solution = first_solution(puzzle);
      EXPECT_TRUE(solution && is_solution(puzzle, render(*solution))) << record.puzzle;
      ++counts[grade(puzzle).level];
    }
    return counts;
  }
};

TEST_F(SudokuFiles, ThePapersTest) {
  const std::string path = path_of("paper/sudoku_test_200.csv");
  if (path.empty()) GTEST_SKIP() << "needs MGDM_TEST_DATA";
  const auto task = make_sudoku(Difficulty::kEasy);
  const auto records = formats::read_sudokus(path);
  EXPECT_EQ(records.size(), 200u);
  for (const formats::SudokuRecord& record : records) {
    const Example example{record.puzzle, record.solution.value()};
    EXPECT_EQ(task->verify(example, example.output), (Verdict{true, true}));
    EXPECT_EQ(task->solve(example.input), example.output);
    EXPECT_EQ(grade(parse_grid(example.input)).level, Level::kNakedSingles);
  }
}

TEST_F(SudokuFiles, WellKnownHardPuzzles) {
  const std::map<std::string, int> sizes = {{"top95", 95}, {"hardest", 11}};
  for (const auto& [name, size] : sizes) {
    const std::string path = path_of(fmt::format("sudoku/sudoku-{}.txt", name));
    if (path.empty()) GTEST_SKIP() << "needs MGDM_TEST_DATA";
    auto counts = levels(path);
    EXPECT_EQ(counts[Level::kNoSolution] + counts[Level::kManySolutions], 0) << name;
    int sum = 0;
    for (const auto& [level, count] : counts) sum += count;
    EXPECT_EQ(sum, size) << name;
  }
}

TEST_F(SudokuFiles, RatedPuzzles) {
  // The raters' four levels are ours: naked singles, hidden singles, and two beyond.
  const std::map<std::string, Level> expected = {{"simple", Level::kNakedSingles},
                                                 {"easy", Level::kHiddenSingles},
                                                 {"intermediate", Level::kGuessing},
                                                 {"expert", Level::kGuessing}};
  for (const auto& [name, level] : expected) {
    const std::string path = path_of(fmt::format("sudoku/rated_{}.txt", name));
    if (path.empty()) GTEST_SKIP() << "needs MGDM_TEST_DATA";
    EXPECT_EQ(levels(path), (std::map<Level, int>{{level, 1000}})) << name;
  }
}

}  // namespace
}  // namespace mgdm::tasks::sudoku
