#include "formats/sudoku_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "base/error.h"
#include "base/files.h"

namespace mgdm::formats {
namespace {

using testing::HasSubstr;

const std::string kPuzzle =
    "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
const std::string kSolution =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

std::string dotted(std::string puzzle) {
  for (char& c : puzzle) c = c == '0' ? '.' : c;
  return puzzle;
}

// A file that lives as long as the test.
class SudokuText : public testing::Test {
 protected:
  ~SudokuText() override { std::remove(path_.c_str()); }

  const std::string& file(std::string_view text) {
    write_file(path_, text);
    return path_;
  }

  template <class Read>
  std::string complaint(Read&& read, std::string_view text) {
    try {
      read(file(text));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  const std::string path_ = testing::TempDir() + "sudoku_text_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
};

TEST_F(SudokuText, ReadsCsv) {
  const auto records = read_sudoku_csv(file("quizzes,solutions\r\n" + kPuzzle + "," + kSolution +
                                            "\r\n\r\n" + dotted(kPuzzle) + "," + kSolution));
  const SudokuRecord expected{kPuzzle, kSolution};
  EXPECT_THAT(records, testing::ElementsAre(expected, expected));
  EXPECT_TRUE(read_sudoku_csv(file("quizzes,solutions\n")).empty());
}

TEST_F(SudokuText, CsvErrorsNameTheLine) {
  const auto of = [&](const std::string& text) { return complaint(read_sudoku_csv, text); };
  const std::string header = "quizzes,solutions\n";
  EXPECT_THAT(of(""), HasSubstr(path_ + ":1: the file is empty"));
  EXPECT_THAT(of("puzzle,rating\n"), HasSubstr(path_ + ":1: the header is 'puzzle,rating'"));
  EXPECT_THAT(of("x\n"), HasSubstr("expected: the header quizzes,solutions"));
  EXPECT_THAT(of(header + kPuzzle + "\n"), HasSubstr(path_ + ":2: the row has 1 columns"));
  EXPECT_THAT(of(header + kPuzzle + "," + kSolution + ",1\n"), HasSubstr("has 3 columns"));
  EXPECT_THAT(of(header + "\n12," + kSolution),
              HasSubstr(path_ + ":3: the puzzle has 2 characters"));
  EXPECT_THAT(of(header + kPuzzle + "," + kPuzzle),
              HasSubstr(path_ + ":2: the solution has '0' at character 3"));
  EXPECT_THAT(of(header + kPuzzle + "," + kPuzzle), HasSubstr("expected: 81 digits 1-9"));
  std::string wrong = kPuzzle;
  wrong[80] = 'x';
  EXPECT_THAT(of(header + wrong + "," + kSolution),
              HasSubstr("the puzzle has 'x' at character 81"));
}

TEST_F(SudokuText, ReadsLines) {
  const auto records =
      read_sudoku_lines(file("# well-known\n\n" + dotted(kPuzzle) + "\n" + kPuzzle +
                             "  1.2\nc0ffee \t" + kPuzzle + "  2.5 " + kSolution + "\n"));
  const SudokuRecord expected{kPuzzle, std::nullopt};
  EXPECT_THAT(records, testing::ElementsAre(expected, expected, expected));
}

TEST_F(SudokuText, LineErrorsNameTheLine) {
  const auto of = [&](const std::string& text) { return complaint(read_sudoku_lines, text); };
  EXPECT_THAT(of(kPuzzle + "\n\n" + kPuzzle + "1\n"), HasSubstr(path_ + ":3: no puzzle in '5300"));
  EXPECT_THAT(of("abc 1.2\n"), HasSubstr("expected: a column of 81 characters"));
}

TEST_F(SudokuText, StopsWhereTheSinkThrows) {
  int seen = 0;
  EXPECT_THROW(for_each_sudoku_line(file(kPuzzle + "\n" + kPuzzle + "\n"),
                                    [&](SudokuRecord&&, std::size_t) {
                                      ++seen;
                                      throw Error("enough");
                                    }),
               Error);
  EXPECT_EQ(seen, 1);
}

TEST_F(SudokuText, WritesWhatItReads) {
  const std::vector<SudokuRecord> records = {{kPuzzle, kSolution}, {kSolution, kSolution}};
  write_sudoku_csv(path_, records);
  EXPECT_EQ(read_file(path_), "quizzes,solutions\n" + kPuzzle + "," + kSolution + "\n" + kSolution +
                                  "," + kSolution + "\n");
  EXPECT_EQ(read_sudoku_csv(path_), records);

  write_sudoku_lines(path_, records);
  EXPECT_EQ(read_file(path_), kPuzzle + "\n" + kSolution + "\n");

  const std::vector<SudokuRecord> unsolved = {{kPuzzle, std::nullopt}};
  EXPECT_THROW(write_sudoku_csv(path_, unsolved), Error);
}

}  // namespace
}  // namespace mgdm::formats
