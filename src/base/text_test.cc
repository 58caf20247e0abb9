#include "base/text.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace mgdm {
namespace {

TEST(Text, Split) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split("a,,b", ','), (Parts{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (Parts{""}));
  EXPECT_EQ(split(",", ','), (Parts{"", ""}));
}

TEST(Text, Trim) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
}

TEST(Text, SpaceAroundSeparators) {
  EXPECT_EQ(without_space_around(",", " 4, 5\t ,6 7 "), "4,5,6 7");
  EXPECT_EQ(without_space_around(",/-", "1 , 2 / 2,3 - 1 ,3"), "1,2/2,3-1,3");
  EXPECT_EQ(without_space_around(",", ", ,"), ",,");
  EXPECT_EQ(without_space_around(",", ""), "");
}

TEST(Text, CellsAreWhatWasPutIntoThem) {
  const std::vector<std::string> cells = {"a", "", "1,2", "he said \"x\"", "\"", "b;c"};
  for (const char separator : {',', ';'}) {
    std::string line;
    for (const std::string& cell : cells)
      line += (line.empty() ? "" : std::string(1, separator)) +
              (separator == ';' && cell == "b;c" ? "\"b;c\"" : csv_cell(cell));
    EXPECT_EQ(csv_cells(line, separator), cells) << line;
  }
  EXPECT_EQ(csv_cells(""), std::vector<std::string>{""});
  EXPECT_EQ(csv_cells(" a , \"b\" "), (std::vector<std::string>{"a", "b"}));
}

TEST(Text, Lowered) { EXPECT_EQ(lowered("A.CSV \u00c9z"), "a.csv \u00c9z"); }

TEST(Text, ParseInt) {
  EXPECT_EQ(parse_int("42"), 42);
  EXPECT_EQ(parse_int("-7"), -7);
  for (const char* bad : {"", "-", "+1", "1 ", " 1", "1x", "0x1", "99999999999999999999"})
    EXPECT_FALSE(parse_int(bad)) << bad;
}

TEST(Text, QuotedIsSafeToPrint) {
  EXPECT_EQ(in_quotes("plain"), "'plain'");
  EXPECT_EQ(in_quotes(std::string_view("\x1b[2J\0\xff", 6)), "'\\x1b[2J\\x00\\xff'");
  EXPECT_EQ(in_quotes("abcdef", 3), "'abc...'");
  EXPECT_EQ(in_quotes("5·3"), "'5·3'");
  EXPECT_EQ(in_quotes("5··", 4), "'5·...'");  // '·' has two bytes
  EXPECT_EQ(in_quotes(std::string(9, '\x80'), 5), "'\\x80\\x80\\x80\\x80\\x80...'");
}

TEST(Text, PrintableTextMovesNoTerminal) {
  EXPECT_EQ(printable("plain, \u00e9 \u2713"), "plain, \u00e9 \u2713");
  EXPECT_EQ(printable(std::string_view("\x1b[2J\0\x7f\r\n", 8)), "\\x1b[2J\\x00\\x7f\\x0d\\x0a");
  EXPECT_EQ(printable("a\nb\x1b", "\n"), "a\nb\\x1b");
  EXPECT_EQ(printable("\u009b2J \x9b \xc2"), "\\xc2\\x9b2J \\x9b \\xc2");  // CSI in one character
  EXPECT_EQ(printable("a\u202etxt\u2066\u200f\u2026"),
            "a\\xe2\\x80\\xaetxt\\xe2\\x81\\xa6\\xe2\\x80\\x8f\u2026");
}

TEST(Text, NumbersAndNamesAreJoined) {
  EXPECT_EQ(joined_by(std::vector<int>{1, -2, 3}, ", "), "1, -2, 3");
  EXPECT_EQ(joined_by(std::vector<std::string>{"a", "", "b"}, "/"), "a//b");
  EXPECT_EQ(joined_by(std::vector<std::int64_t>{}, ","), "");
}

TEST(Text, NearestName) {
  const std::vector<std::string> names{"sudoku", "planning", "--count", "--seed"};
  EXPECT_EQ(nearest("sudko", names), "sudoku");
  EXPECT_EQ(nearest("--cuont", names), "--count");
  EXPECT_EQ(nearest("xyz", names), "");
  EXPECT_EQ(nearest("abcx", std::vector<std::string>{"abcd", "abce"}), "abcd");  // the first
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("--device", std::vector<std::string>{"--resume"}), "");
  EXPECT_EQ(did_you_mean("plannig", names), "did you mean 'planning'?");
  EXPECT_EQ(did_you_mean("qqqqqqqq", names), "");
  EXPECT_EQ(joined_and(std::vector<std::string>{"2", "5", "8"}), "2, 5 and 8");
  EXPECT_EQ(joined_or(names), "sudoku, planning, --count or --seed");
  const std::vector<std::string> keys{"task", "optimizer.lr", "training.ema", "data.files",
                                      "evaluation.files"};
  EXPECT_EQ(nearest("training.lr", keys), "optimizer.lr");
  EXPECT_EQ(nearest("data.task", keys), "task");
  EXPECT_EQ(nearest("evalution.files", keys), "evaluation.files");  // two end like this
}

TEST(Error, SaysWhatWasSeenExpectedAndToDo) {
  EXPECT_STREQ(Error("a").what(), "a");
  EXPECT_STREQ(Error("a", "b", "c").what(), "a\n  expected: b\n  try: c");
  try {
    with_location("f.txt", 3, []() -> int { throw Error("bad", "good"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "f.txt:3: bad\n  expected: good");
  }
  EXPECT_EQ(at("f.txt", 0), "f.txt: ");
  EXPECT_THROW(MGDM_CHECK(1 + 1 == 3), std::logic_error);
}

constexpr std::size_t kNone = std::string_view::npos;

TEST(Utf8, AcceptsTheEdgesOfEveryLength) {
  EXPECT_EQ(find_invalid_utf8(""), kNone);
  EXPECT_EQ(find_invalid_utf8("a\x7F\xC2\x80\xDF\xBF"), kNone);
  EXPECT_EQ(find_invalid_utf8("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"), kNone);
  EXPECT_EQ(find_invalid_utf8("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"), kNone);
}

TEST(Utf8, FindsTheFirstBadByte) {
  EXPECT_EQ(find_invalid_utf8("ab\x80"), 2u);            // a continuation byte alone
  EXPECT_EQ(find_invalid_utf8("a\xC0\xAF"), 1u);         // overlong '/'
  EXPECT_EQ(find_invalid_utf8("\xE0\x9F\xBF"), 0u);      // overlong
  EXPECT_EQ(find_invalid_utf8("\xED\xA0\x80"), 0u);      // a surrogate
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0u);  // above U+10FFFF
  EXPECT_EQ(find_invalid_utf8("ok\xE2\x82"), 2u);        // cut short
}

TEST(Utf8, RepairReplacesEachBadByte) {
  EXPECT_EQ(to_valid_utf8("a\xFF\xC3\xA9\xC3"), "a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD");
}

TEST(Utf8, CountsCodePoints) {
  EXPECT_EQ(count_code_points(""), 0u);
  EXPECT_EQ(count_code_points("σ² ≤ 1"), 6u);
}

TEST(Utf8, ShortensAtACodePoint) {
  EXPECT_EQ(shortened("σσσσ", 4), "σσσσ");
  EXPECT_EQ(shortened("σσσσσ", 4), "σσσ…");
  EXPECT_EQ(shortened("abc", 1), "…");
}

TEST(Utf8, WrapsBelowTheSecondColumn) {
  EXPECT_EQ(wrapped("", 20), "");
  EXPECT_EQ(wrapped("as it is\n\n", 20), "as it is\n\n");
  EXPECT_EQ(wrapped("σσσ to nine columns", 9), "σσσ to\nnine\ncolumns");
  EXPECT_EQ(wrapped("  -n N  how many of them\n  -m  x", 20),
            "  -n N  how many of\n        them\n  -m  x");
  EXPECT_EQ(wrapped("  a-word-of-its-own-alone here", 20), "  a-word-of-its-own-alone\n  here");
}

TEST(Utf8, ByteOrderMark) {
  EXPECT_EQ(without_bom("\xEF\xBB\xBFp cnf"), "p cnf");
  EXPECT_EQ(without_bom("p cnf"), "p cnf");
  EXPECT_EQ(without_bom("\xEF\xBB"), "\xEF\xBB");
}

}  // namespace

}  // namespace mgdm
