#include "formats/sudoku_cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "base/error.h"
#include "base/files.h"
#include "formats/test_support.h"

namespace mgdm::formats {
namespace {

using testing::HasSubstr;

const std::string kPuzzle =
    "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
const std::string kSolution =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

std::string dotted(std::string puzzle, char blank = '.') {
  for (char& c : puzzle) c = c == '0' ? blank : c;
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
    return error_of([&] { read(file(text)); });
  }

  const std::string path_ = testing::TempDir() + "sudoku_text_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
};

// As a board: "5 3 . | . 7 . | . . .", with a line between the boxes.
std::string board(const std::string& cells, std::string_view blank = ".") {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += cells[i] == '0' ? blank : std::string_view(cells).substr(i, 1);
    text += i % 9 == 8 ? "\n" : i % 3 == 2 ? " | " : " ";
    if (i == 26 || i == 53) text += "------+-------+------\n";
  }
  return text;
}

std::string with_commas(const std::string& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += cells[i];
    text += i % 9 == 8 ? '\n' : ',';
  }
  return text;
}

// As a spreadsheet writes it: nothing for a blank.
std::string table(const std::string& cells, char separator) {
  std::string text = with_commas(cells);
  std::erase(text, '0');
  std::ranges::replace(text, ',', separator);
  return text;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size())
    text.replace(i, from.size(), to);
  return text;
}

// All cells in quotes.
std::string quoted_table(const std::string& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += (cells[i] == '0' ? "\"\"" : std::string("\"") + cells[i] + "\"") +
            (i % 9 == 8 ? "\n" : ",");
  return text;
}

std::string python_list(const std::string& cells) {
  std::string rows = with_commas(cells);
  rows.pop_back();  // the last line's end
  return "[[" + replaced(rows, "\n", "],\n[") + "]]\n";
}

// In Unicode's lines.
std::string boxed(const std::string& cells) {
  std::string text = "╔═══╤═══╗\n";
  for (std::size_t row = 0; row < 9; ++row) {
    text += "║";
    for (std::size_t column = 0; column < 9; ++column)
      text += std::string(" ") + cells[9 * row + column] + (column % 3 == 2 ? " │" : "");
    text += row % 3 == 2 ? "║\n╟───┼───╢\n" : "║\n";
  }
  return text;
}

// All in one line, with something between.
std::string spread(const std::string& cells, const std::string& between, std::size_t every) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += cells[i] + (i % every == every - 1 && i + 1 < cells.size() ? between : "");
  return text;
}

std::string nine_lines(const std::string& cells) {
  std::string text;
  for (std::size_t row = 0; row < 9; ++row) text += cells.substr(9 * row, 9) + "\n";
  return text;
}

const SudokuRecord kUnsolved{kPuzzle, std::nullopt}, kSolved{kPuzzle, kSolution};

TEST_F(SudokuText, ReadsCsv) {
  const auto records = read_sudokus(file("quizzes,solutions\r\n" + kPuzzle + "," + kSolution +
                                         "\r\n\r\n" + dotted(kPuzzle) + "," + kSolution));
  EXPECT_THAT(records, testing::ElementsAre(kSolved, kSolved));
  EXPECT_TRUE(read_sudokus(file("quizzes,solutions\n")).empty());
}

TEST_F(SudokuText, FindsTheColumnsOfACsv) {
  const std::string pair = kPuzzle + "," + kSolution;
  for (const std::string& text :
       {"puzzle,solution\n" + pair, "Puzzle, Solution\n\"" + kPuzzle + "\",\"" + kSolution + "\"\n",
        "source,question,answer,rating\n\"a, b\"," + dotted(kPuzzle) + "," + kSolution + ",3\n",
        "id,puzzle,solution,clues,difficulty\n1," + pair + ",30,2.2\n",
        "solution,puzzle\n" + kSolution + "," + kPuzzle, "a,b,c\n7," + pair,
        "a,b\n" + kSolution + "," + kPuzzle, pair, "# no header\n17," + pair + "\n",
        "id;puzzle;solution\n\"1;2\";" + kPuzzle + ";" + kSolution + "\n",
        kPuzzle + ";" + kSolution + "\n", "puzzle,solution,\"note; source\"\n" + pair + ",\n",
        "\"a; b\"," + pair + "\n",
        "id,puzzle,solution\n1," + replaced(dotted(kPuzzle), ".", "·") + "," + kSolution})
    EXPECT_THAT(read_sudokus(file(text)), testing::ElementsAre(kSolved)) << text;
  EXPECT_THAT(read_sudokus(file("id,puzzle\n1," + kPuzzle)), testing::ElementsAre(kUnsolved));
  EXPECT_THAT(read_sudokus(file("puzzle,solution\n" + kPuzzle + ",\n")),
              testing::ElementsAre(kUnsolved));
}

TEST_F(SudokuText, CsvErrorsNameTheLine) {
  const auto of = [&](const std::string& text) { return complaint(read_sudokus, text); };
  // A slip in the first row makes it neither a header nor the solution a puzzle.
  const std::string pair = "\n" + kPuzzle + "," + kSolution;
  EXPECT_THAT(of(kPuzzle.substr(1) + "," + kSolution + pair),
              HasSubstr(path_ + ":1: no puzzle in"));
  EXPECT_THAT(of(kPuzzle.substr(1) + "," + kSolution.substr(1) + pair),
              HasSubstr(path_ + ":1: no puzzle in"));
  const std::string header = "quizzes,solutions\n";
  EXPECT_THAT(of("a,b\n1,2\n"), HasSubstr(path_ + ":1: no puzzle in"));
  EXPECT_THAT(of(header + kPuzzle + "\n"), HasSubstr(path_ + ":2: the row has 1 columns"));
  EXPECT_THAT(of(header + kPuzzle + "," + kSolution + ",1\n"), HasSubstr("has 3 columns"));
  EXPECT_THAT(of(header + "\n12," + kSolution), HasSubstr(path_ + ":3: no puzzle in '12'"));
}

TEST_F(SudokuText, ReadsLines) {
  const auto records =
      read_sudokus(file("# well-known\n\n" + dotted(kPuzzle) + "\n" + kPuzzle + "  1.2\nc0ffee \t" +
                        kPuzzle + "  2.5 " + kSolution + "\n"));
  EXPECT_THAT(records, testing::ElementsAre(kUnsolved, kUnsolved, kSolved));
  for (const std::string& line :
       {spread(kPuzzle, " ", 1), spread(dotted(kPuzzle), " ", 9), spread(kPuzzle, " | ", 27),
        spread(kPuzzle, ",", 1), spread(kPuzzle, ";", 1),
        replaced(spread(kPuzzle, ",", 1), "0", ""), replaced(spread(kPuzzle, "\t", 1), "0", "")})
    EXPECT_THAT(read_sudokus(file(line + "\n" + line)), testing::ElementsAre(kUnsolved, kUnsolved))
        << line;
  for (const char blank : kSudokuBlanks)
    EXPECT_THAT(read_sudokus(file(dotted(kPuzzle, blank) + "\n")), testing::ElementsAre(kUnsolved))
        << blank;
  EXPECT_THAT(read_sudokus(file("Collection; top 95\n" + kPuzzle + " 2.5; by hand\n")),
              testing::ElementsAre(kUnsolved));
  EXPECT_THAT(read_sudokus(file("hash puzzle rating\nc0ffee " + kPuzzle + " 2.5\n")),
              testing::ElementsAre(kUnsolved));
}

TEST_F(SudokuText, ReadsGrids) {
  const SudokuRecord solved{kSolution, std::nullopt};
  for (const std::string& one : {board(kPuzzle),
                                 board(kPuzzle, "_"),
                                 board(kPuzzle, "*"),
                                 board(kPuzzle, "-"),
                                 board(kPuzzle, "?"),
                                 nine_lines(kPuzzle),
                                 nine_lines(dotted(kPuzzle, 'x')),
                                 with_commas(kPuzzle),
                                 nine_lines(dotted(kPuzzle)),
                                 table(kPuzzle, ','),
                                 table(kPuzzle, ';'),
                                 table(kPuzzle, '\t'),
                                 quoted_table(kPuzzle),
                                 python_list(kPuzzle),
                                 replaced(python_list(kPuzzle), "\n", "") + "\n",
                                 "[\n" + replaced(python_list(kPuzzle), "]]", "]\n]"),
                                 replaced(board(kPuzzle), ".", "·"),
                                 boxed(kPuzzle),
                                 boxed(dotted(kPuzzle)),
                                 "+-------+\n| " + board(kPuzzle) + "+=======+\n"}) {
    EXPECT_THAT(read_sudokus(file(one)), testing::ElementsAre(kUnsolved)) << one;
    EXPECT_THAT(read_sudokus(file(one + "\n" + nine_lines(kSolution) + kPuzzle)),
                testing::ElementsAre(kUnsolved, solved, kUnsolved))
        << one;
    EXPECT_THAT(read_sudokus(file("Grid 01\n" + one + "Grid 02\n" + nine_lines(kSolution))),
                testing::ElementsAre(kUnsolved, solved))
        << one;
  }
  // A row of blanks is no frame where '-' is a blank, and titles are no rows.
  std::string blank_row = kPuzzle;
  blank_row.replace(36, 9, 9, '0');
  const std::string dashed = nine_lines(dotted(blank_row, '-'));
  EXPECT_THAT(read_sudokus(file(dashed + dashed)),
              testing::ElementsAre(SudokuRecord{blank_row, std::nullopt},
                                   SudokuRecord{blank_row, std::nullopt}));
  for (const char separator : {'\t', ',', ';'})
    EXPECT_THAT(read_sudokus(file(table(blank_row, separator))),
                testing::ElementsAre(SudokuRecord{blank_row, std::nullopt}))
        << separator;
  // Lines of tabs between boxes are no rows where blanks are zeros.
  std::string boxes = replaced(with_commas(kPuzzle), ",", "\t");
  boxes.insert(3 * 18, "\t\t\t\t\t\t\t\t\n");
  EXPECT_THAT(read_sudokus(file(boxes)), testing::ElementsAre(kUnsolved));
  for (const std::string title : {"Sudoku of 2024-05-01", "-- Grid 1 --", "Easy ----------"})
    EXPECT_THAT(read_sudokus(file(title + "\n" + nine_lines(kPuzzle))),
                testing::ElementsAre(kUnsolved))
        << title;
  std::vector<std::size_t> lines;
  for_each_sudoku(file("Grid 01\n" + nine_lines(kPuzzle) + "Grid 02\n" + nine_lines(kPuzzle)),
                  [&](SudokuRecord&&, std::size_t line) { lines.push_back(line); });
  EXPECT_THAT(lines, testing::ElementsAre(2, 12));
}

// Nine lines of the cells side by side, '0' as a space; those at the end of a line cut off or not.
std::string spaced(const std::string& puzzle, bool cut) {
  std::string text;
  for (std::size_t i = 0; i < puzzle.size(); i += 9) {
    std::string row = dotted(puzzle.substr(i, 9), ' ');
    if (cut) row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

TEST_F(SudokuText, ReadsGridsWithSpacesForBlanks) {
  for (const bool cut : {true, false}) {
    const std::string grid = spaced(kPuzzle, cut);
    EXPECT_EQ(read_sudokus(file(grid)), (std::vector<SudokuRecord>{{kPuzzle, std::nullopt}}));
    EXPECT_EQ(read_sudokus(file("Grid 01\n" + grid + "\nGrid 02\n" + grid + grid)).size(), 3u);
    EXPECT_EQ(find_sudoku(grid), kPuzzle);
  }
  // Rows without a blank may come first; a line that is none ends the grid, and is no part of it.
  std::string full = kPuzzle;
  full.replace(0, 9, "534678912");
  EXPECT_EQ(read_sudokus(file(spaced(full, true))),
            (std::vector<SudokuRecord>{{full, std::nullopt}}));
  std::vector<std::string> bad;
  for_each_sudoku(
      file(kPuzzle + "\n1  2\n86,28,13,31,96\nfoo bar\n123456\n" + kPuzzle + "\n"),
      [](SudokuRecord&&, std::size_t) {}, [&](const Error& error) { bad.push_back(error.seen()); });
  ASSERT_EQ(bad.size(), 4u);
  EXPECT_THAT(bad[0], HasSubstr(":2: the grid that begins here has 1 row"));
  EXPECT_THAT(bad[1], HasSubstr(":3: no puzzle in '86,28,13,31,96'"));
  // A blank row is one only where its spaces are there, a full one has none.
  std::string rows = kPuzzle;
  rows.replace(27, 9, std::string(9, '0'));
  rows.replace(36, 9, "426853791");
  EXPECT_EQ(read_sudokus(file(spaced(rows, false))),
            (std::vector<SudokuRecord>{{rows, std::nullopt}}));
  EXPECT_THAT(complaint(read_sudokus, spaced(rows, true)),
              HasSubstr(":1: the grid that begins here has 8"));
  EXPECT_THAT(complaint(read_sudokus, "53  7\n6  a95\n"), HasSubstr(":2: '6  a95' is no row"));
}

TEST_F(SudokuText, LineErrorsNameTheLine) {
  const auto of = [&](const std::string& text) { return complaint(read_sudokus, text); };
  EXPECT_THAT(of(kPuzzle + "\n\n" + kPuzzle + "1\n"), HasSubstr(path_ + ":3: no puzzle in '5300"));
  EXPECT_THAT(of(kPuzzle + "\nwhat\n" + kPuzzle), HasSubstr(path_ + ":2: no puzzle in 'what'"));
  EXPECT_THAT(of(nine_lines(kPuzzle).substr(0, 80)),
              HasSubstr(path_ + ":1: the grid that begins here has 8 rows"));
}

// One complaint about a grid, and the next is read.
TEST_F(SudokuText, AWrongRowSpoilsItsGridAlone) {
  std::string wrong = nine_lines(kPuzzle);
  wrong[2] = 'q';
  std::string shorter = nine_lines(kPuzzle);
  shorter.erase(43, 1);
  for (const std::string& text : {wrong, shorter}) {
    std::vector<std::size_t> lines;
    std::vector<std::string> bad;
    for_each_sudoku(
        file("Grid 01\n" + text + "Grid 02\n" + nine_lines(kPuzzle)),
        [&](SudokuRecord&&, std::size_t line) { lines.push_back(line); },
        [&](const Error& error) { bad.emplace_back(error.what()); });
    EXPECT_THAT(lines, testing::ElementsAre(12));
    EXPECT_THAT(bad,
                testing::ElementsAre(HasSubstr("is no row of the grid that begins at line 2")));
  }
}

TEST_F(SudokuText, ReadsGridsWithSomeCommas) {
  for (const std::string first : {"5,3,. | .,7,. | .,.,.", "5 3 ., . 7 ., . . .", "53.,.7.,..."}) {
    std::string text = first + "\n";
    for (std::size_t i = 9; i < kPuzzle.size(); i += 9) text += dotted(kPuzzle.substr(i, 9)) + "\n";
    EXPECT_EQ(read_sudokus(file(text)), (std::vector<SudokuRecord>{{kPuzzle, std::nullopt}}));
  }
}

TEST_F(SudokuText, NumbersBeginNoGrid) {
  std::vector<std::size_t> good, bad;
  const OnBadLine on_bad = [&](const Error& error) {
    for (std::size_t line = 2; line < 5; ++line)
      if (error.seen().find(":" + std::to_string(line) + ": ") != std::string::npos)
        bad.push_back(line);
  };
  for_each_sudoku(
      file(kPuzzle + "\n4 5 6 10 -> 24\n86,28,13,31,9\n86 28 13 31 9\n" + kPuzzle + "\n"),
      [&](SudokuRecord&&, std::size_t line) { good.push_back(line); }, on_bad);
  EXPECT_EQ(good, (std::vector<std::size_t>{1, 5}));
  EXPECT_EQ(bad, (std::vector<std::size_t>{2, 3, 4}));
}

TEST_F(SudokuText, AGridEndsAtALineThatIsNoRow) {
  std::vector<std::string> bad;
  for_each_sudoku(
      file("53..7....\n6..195...\n86,28,13,31,96\n7,1/4,0/6,2/0,6/5,7/4,5-4,1\n" + kPuzzle + "\n"),
      [](SudokuRecord&&, std::size_t) {}, [&](const Error& error) { bad.push_back(error.seen()); });
  ASSERT_EQ(bad.size(), 3u);
  EXPECT_THAT(bad[0], HasSubstr(":1: the grid that begins here has 2 rows"));
  EXPECT_THAT(bad[1], HasSubstr(":3: no puzzle in '86,28,13,31,96'"));
  EXPECT_THAT(bad[2], HasSubstr(":4: no puzzle in '7,1/4,0/6,2/0,6/5,7/4,5-4,1'"));
}

TEST_F(SudokuText, AGridThatIsTooShortEndsAtTheNextTitle) {
  std::vector<std::size_t> lines;
  std::vector<std::string> bad;
  for_each_sudoku(
      file("Grid 01\n" + nine_lines(kPuzzle).substr(0, 70) + "Grid 02\n" + nine_lines(kPuzzle)),
      [&](SudokuRecord&&, std::size_t line) { lines.push_back(line); },
      [&](const Error& error) { bad.emplace_back(error.what()); });
  EXPECT_THAT(lines, testing::ElementsAre(10));
  EXPECT_THAT(bad, testing::ElementsAre(HasSubstr(":2: the grid that begins here has 7 rows")));
}

TEST_F(SudokuText, FindsTheOneInAText) {
  for (const std::string& text : {kPuzzle, "c0ffee " + kPuzzle + " 2.5", board(kPuzzle),
                                  "Grid 01\n" + nine_lines(dotted(kPuzzle))})
    EXPECT_EQ(find_sudoku(text), kPuzzle) << text;
  for (const std::string& text :
       {std::string(), kPuzzle.substr(1), board(kPuzzle) + board(kPuzzle), kPuzzle + "\n12\n"})
    EXPECT_EQ(find_sudoku(text), std::nullopt) << text;
}

TEST_F(SudokuText, StopsWhereTheSinkThrows) {
  int seen = 0;
  EXPECT_THROW(for_each_sudoku(file(kPuzzle + "\n" + kPuzzle + "\n"),
                               [&](SudokuRecord&&, std::size_t) {
                                 ++seen;
                                 throw Error("enough");
                               }),
               Error);
  EXPECT_EQ(seen, 1);
}

TEST_F(SudokuText, ARowOfCsvNeedsASolution) {
  EXPECT_EQ(sudoku_csv_row({kPuzzle, kSolution}), kPuzzle + "," + kSolution + "\n");
  EXPECT_THROW(sudoku_csv_row({kPuzzle, std::nullopt}), Error);
}

}  // namespace
}  // namespace mgdm::formats
