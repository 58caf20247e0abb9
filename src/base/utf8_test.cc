#include "base/utf8.h"

#include <gtest/gtest.h>

namespace mgdm {
namespace {

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
