#include "formats/records.h"

#include <gtest/gtest.h>

#include <tuple>

#include "base/files.h"
#include "formats/test_support.h"

namespace mgdm::formats {
namespace {

const std::string kSudoku =
    "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
const std::string kSolved =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

class Records : public testing::Test {
 protected:
  using Read = std::tuple<std::size_t, std::string, std::string>;  // line, puzzle, answer

  std::vector<Read> read(const std::string& text, const Rules& rules = {}) {
    const std::string path = (folder_.path() / "file").string();
    write_file(path, text);
    std::vector<Read> found;
    bad_.clear();
    for_each_record(
        path, rules,
        [&](const Record& record) {
          if (const auto puzzle = puzzle_of(record, rules))
            found.emplace_back(record.line, puzzle->puzzle, puzzle->answer);
          else
            bad_.push_back("no puzzle in line " + std::to_string(record.line));
        },
        [&](const Error& error) { bad_.push_back(error.seen().substr(path.size())); });
    return found;
  }
  // The puzzle of a file that has one, in its first line.
  std::string only(const std::string& text) {
    const auto found = read(text);
    EXPECT_TRUE(bad_.empty()) << bad_.front();
    EXPECT_EQ(found.size(), 1u) << text;
    return found.empty() ? "" : std::get<1>(found[0]);
  }

  TemporaryFolder folder_;
  std::vector<std::string> bad_;
};

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string grid_of_numbers(const std::string& cells, const std::string& blank = "0") {
  std::string grid;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    grid += i == 0 ? "[[" : i % 9 == 0 ? "], [" : ", ";
    grid += cells[i] == '0' ? blank : cells.substr(i, 1);
  }
  return grid + "]]";
}

TEST_F(Records, JsonOfAnyNestingIsWalked) {
  const std::string one =
      "{\"puzzle\": " + quoted(kSudoku) + ", \"solution\": " + quoted(kSolved) + "}";
  const std::vector<Read> three = {
      {1, kSudoku, kSolved}, {1, kSudoku, kSolved}, {1, kSudoku, kSolved}};
  EXPECT_EQ(read("[" + one + ", " + one + "," + one + "]"), three);
  EXPECT_EQ(read("{\"data\": {\"rows\": [" + one + ", " + one + "," + one + "]}}\n"), three);
  EXPECT_EQ(read("[\n" + one + ",\n" + one + "\n]\n"),
            (std::vector<Read>{{2, kSudoku, kSolved}, {3, kSudoku, kSolved}}));
  EXPECT_EQ(read("{\n  \"id\": 7,\n  \"puzzle\":\n" + quoted(kSudoku) + "\n}\n" + one),
            (std::vector<Read>{{1, kSudoku, ""}, {6, kSudoku, kSolved}}));
  // Columns, as lists and as objects.
  const std::string two = quoted(kSudoku) + "," + quoted(kSudoku), solved = quoted(kSolved);
  EXPECT_EQ(read("{\"quizzes\": [" + two + "], \"solutions\": [" + solved + "," + solved + "]}"),
            (std::vector<Read>{{1, kSudoku, kSolved}, {1, kSudoku, kSolved}}));
  EXPECT_EQ(read("{\"quizzes\": {\"0\": " + quoted(kSudoku) + ", \"1\": " + quoted(kSudoku) +
                 "}, \"solutions\": {\"0\": " + solved + ", \"1\": " + solved + "}}"),
            (std::vector<Read>{{1, kSudoku, kSolved}, {1, kSudoku, kSolved}}));
  // Lists of strings and of numbers.
  EXPECT_EQ(read("[" + two + ", \"4 5 6 10 24\"]").size(), 3u);
  EXPECT_EQ(read("[[4, 5, 6, 10, 24], [[1, 2, 3, 4], 10]]\n"),
            (std::vector<Read>{{1, "4,5,6,10,24", ""}, {1, "1,2,3,4,10", ""}}));
}

TEST_F(Records, AGridIsAValue) {
  for (const std::string& grid : {grid_of_numbers(kSudoku), grid_of_numbers(kSudoku, "null"),
                                  grid_of_numbers(kSudoku, "\".\"")})
    for (const std::string& text : {grid, "{\"grid\": " + grid + "}", "{\"puzzle\": " + grid + "}"})
      EXPECT_EQ(find_sudoku(only(text)), kSudoku) << text;
  EXPECT_EQ(read("[" + grid_of_numbers(kSudoku) + "," + grid_of_numbers(kSudoku) + "]").size(), 2u);
  EXPECT_EQ(find_sudoku(only("{\"board\": " + quoted(kSudoku) + ", \"n\": 3}")), kSudoku);
  std::string pretty = grid_of_numbers(kSudoku), lines;
  for (const char c : pretty) lines += c == ',' ? std::string(",\n  ") : std::string(1, c);
  EXPECT_EQ(find_sudoku(only(lines)), kSudoku) << lines;
}

TEST_F(Records, CountdownsAreNumbersAndATarget) {
  EXPECT_EQ(only("{\"nums\": [44, 19, 35], \"target\": 98}\n"), "44,19,35 -> 98");
  EXPECT_EQ(only("{\"input\": \"44 19 35\", \"target\": 98}\n"), "44 19 35 -> 98");
  EXPECT_EQ(read("{\"nums\": [3, 4], \"target\": 7, \"solution\": [\"3+4=7\", \"7+0=7\"]}\n"),
            (std::vector<Read>{{1, "3,4 -> 7", "3+4=7,7+0=7"}}));
  EXPECT_EQ(only("[44, 19, 35] -> 98\n"), "[44, 19, 35] -> 98");
  EXPECT_EQ(read("Rank,Puzzles,AMT (s)\n1,1 1 4 6,4.4\n\"2\",\"1 1 11 11\",4.41\n"),
            (std::vector<Read>{{2, "1 1 4 6 -> 24", ""}, {3, "1 1 11 11 -> 24", ""}}));
  EXPECT_EQ(read("id,puzzle\n1,1 1 4 6\n"), (std::vector<Read>{{2, "1 1 4 6", ""}}));
}

TEST_F(Records, SudokusMayHaveATitleACountAndThreeLines) {
  const std::string three =
      kSudoku.substr(0, 27) + "\n" + kSudoku.substr(27, 27) + "\n" + kSudoku.substr(54) + "\n";
  EXPECT_EQ(read(three + "\n" + three), (std::vector<Read>{{1, kSudoku, ""}, {5, kSudoku, ""}}));
  EXPECT_EQ(read("2\n" + kSudoku + "\n" + kSudoku + "\n"),
            (std::vector<Read>{{2, kSudoku, ""}, {3, kSudoku, ""}}));
  EXPECT_EQ(read("2\n4 5 6 10 24\n"), (std::vector<Read>{{2, "4 5 6 10 24", ""}}));
  EXPECT_EQ(read("Puzzle,\n" + kSudoku + ",\n").front(), (Read{2, kSudoku, ""}));  // QQWing
  EXPECT_EQ(read(kSudoku + "," + kSolved + ",easy\n"), (std::vector<Read>{{1, kSudoku, kSolved}}));
  std::string cells = "| ";
  for (std::size_t i = 0; i < 81; ++i)
    cells += std::string(1, kSudoku[i] == '0' ? ' ' : kSudoku[i]) + (i % 9 == 8 ? " |\n| " : " | ");
  EXPECT_EQ(only(cells.substr(0, cells.size() - 2)), kSudoku) << cells;
}

TEST_F(Records, SeveralTasksStandInAFile) {
  const auto found = read("4 5 6 10 24\n" + kSudoku +
                          "\n6,2/2,10/1,9/2,0/5,3-8,3\n{\"nums\": [1, 2, 3], "
                          "\"target\": 6}\n5 3 . | . 7 . | . . .\n" +
                          "c,d,h/2,e,h\n");
  EXPECT_EQ(found.size(), 6u);  // the row alone is a line, too
  EXPECT_EQ(std::get<1>(found[2]), "6,2/2,10/1,9/2,0/5,3-8,3");
  EXPECT_EQ(std::get<1>(found[5]), "c,d,h/2,e,h");
}

TEST_F(Records, WhatIsWrongIsOneErrorAndTheRestIsRead) {
  const std::string good = "{\"input\": \"1,2,3,6\"}\n";
  EXPECT_EQ(read(good + "{\"input\": \"1,2\n" + good + "{\n" + good).size(), 3u);
  ASSERT_EQ(bad_.size(), 2u);
  EXPECT_TRUE(bad_[0].starts_with(":2: '{\"input\": \"1,2' is not JSON")) << bad_[0];
  EXPECT_TRUE(bad_[1].starts_with(":4: '{' is not JSON")) << bad_[1];
  // In a list on one line, too.
  EXPECT_EQ(read("[{\"input\": \"1,2,3,6\"}, {\"input\": \"4}, {\"input\": \"1,2,3,6\"}]\n").size(),
            1u);
  EXPECT_FALSE(bad_.empty());
  EXPECT_EQ(read("{\"a\": [1, {}\n" + good + good).size(), 2u);
  EXPECT_EQ(read("input,output\n\"1,2,3,6\",x\n1\n\"4,5,6,26\",\"a\nb\"\n"),
            (std::vector<Read>{{2, "1,2,3,6", "x"}, {4, "4,5,6,26", "a\nb"}}));
  EXPECT_EQ(bad_, std::vector<std::string>{":3: the row has 1 columns"});
}

TEST_F(Records, MemoryIsBoundedByAValue) {
  std::string list = "[";
  const std::string item = quoted(kSudoku) + ", ";
  while (list.size() < std::size_t{9} << 20) list += item;
  const std::size_t count = list.size() / item.size();
  EXPECT_EQ(read(list + quoted(kSudoku) + "]\n").size(), count + 1);
  EXPECT_TRUE(bad_.empty());
  EXPECT_TRUE(read("{\"a\": \"" + std::string(std::size_t{9} << 20, 'x') + "\"}\n").empty());
  ASSERT_EQ(bad_.size(), 1u);
  EXPECT_EQ(bad_[0], ":1: the JSON value is larger than 8 MiB");
}

// Cut, doubled, mixed and nested pieces of all that is understood: every rule on what it does not
// expect. Nothing but an Error may come of it, and reading ends.
TEST_F(Records, HostileFilesAreErrors) {
  const std::vector<std::string> pieces = {"{\"puzzle\": ",
                                           quoted(kSudoku),
                                           "[",
                                           "]",
                                           "{",
                                           "}",
                                           ",",
                                           "\n",
                                           "53  7\n",
                                           "------+---\n",
                                           "id,puzzle\n",
                                           "\"",
                                           "\\u00",
                                           "4 5 6 10 -> 24",
                                           "\"nums\": [4, 5]",
                                           "\t\t\t\t\t\t\t\t",
                                           "\xff\xfe",
                                           "#",
                                           "81\n",
                                           "[[[[[[[[",
                                           ":",
                                           "null",
                                           "1e999",
                                           kSudoku.substr(0, 27) + "\n",
                                           "│",
                                           std::string("\0", 1)};
  std::uint64_t state = 1;
  const auto draw = [&](std::size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state >> 33) % below;
  };
  using Lines = Rules::Lines;
  for (int file = 0; file < 200; ++file) {
    std::string text;
    for (std::size_t i = draw(40); i > 0; --i) text += pieces[draw(pieces.size())];
    const std::string path = (folder_.path() / "file").string();
    write_file(path, text);
    for (const Lines lines :
         {Lines::kAny, Lines::kSudoku, Lines::kOther, Lines::kText, Lines::kAnswers}) {
      std::size_t seen = 0;
      const Rules rules{lines};
      try {
        for_each_record(
            path, rules,
            [&](const Record& record) {
              ++seen;
              puzzle_of(record, rules);
            },
            [&](const Error&) { ++seen; });
      } catch (const Error& error) {
        EXPECT_FALSE(error.seen().empty());
      }
      EXPECT_LE(seen, text.size());
    }
  }
}

}  // namespace
}  // namespace mgdm::formats
