#include "formats/markdown_table.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/text.h"

namespace mgdm::formats {
namespace {

TEST(MarkdownTable, AlignsColumns) {
  MarkdownTable table({{"task"}, {"accuracy", Align::kRight}, {"mode"}});
  table.add_row({"sudoku", "99.8", "a"});
  table.add_row({"countdown 5", "7", "topk"});
  EXPECT_EQ(table.text(),
            "| task        | accuracy | mode |\n"
            "|:------------|---------:|:-----|\n"
            "| sudoku      |     99.8 | a    |\n"
            "| countdown 5 |        7 | topk |\n");
}

TEST(MarkdownTable, EscapesWhatWouldEndACell) {
  MarkdownTable table({{"a|b"}, {"c"}});
  table.add_row({"x|y\nz", " 1\r\n2\r3\n"});
  EXPECT_EQ(table.text(),
            "| a\\|b      | c           |\n"
            "|:----------|:------------|\n"
            "| x\\|y<br>z | 1<br>2<br>3 |\n");
}

TEST(MarkdownTable, WrapsItsWidestColumns) {
  MarkdownTable table({{"setting"}, {"meaning"}, {"value"}});
  table.add_row({"layers", "how many blocks the network has", "one for each of the tasks"});
  table.add_row({"width", "", "1"});
  EXPECT_EQ(table.text(60),
            "| setting | meaning             | value               |\n"
            "|:--------|:--------------------|:--------------------|\n"
            "| layers  | how many blocks the | one for each of the |\n"
            "|         | network has         | tasks               |\n"
            "| width   |                     | 1                   |\n");
  EXPECT_EQ(split(table.text(1), '\n').size(), 6u);  // no narrower than can be read
  EXPECT_EQ(split(table.text(), '\n').size(), 5u);
}

// The row is 47 columns wide: two cells of 7 and 30 letters, and 10 for bars and spaces.
TEST(MarkdownTable, WrapsNothingWhereThereIsRoom) {
  MarkdownTable table({{"setting"}, {"meaning"}});
  table.add_row({"layers", "how many blocks the network has"});
  const std::string unwrapped = table.text();
  const std::size_t width = unwrapped.find('\n');
  EXPECT_EQ(table.text(width), unwrapped);
  EXPECT_NE(table.text(width - 1), unwrapped);
}

TEST(MarkdownTable, WidthsAreCodePoints) {
  MarkdownTable table({{"σ²"}, {"n", Align::kRight}});
  table.add_row({"±0.1", "µ"});
  EXPECT_EQ(table.text(),
            "| σ²   | n |\n"
            "|:-----|--:|\n"
            "| ±0.1 | µ |\n");
}

TEST(MarkdownTable, EmptyCellsAndNoRows) {
  EXPECT_EQ(MarkdownTable({{""}}).text(), "|   |\n|:--|\n");
  MarkdownTable table({{"", Align::kRight}});
  table.add_row({""});
  EXPECT_EQ(table.text(), "|   |\n|--:|\n|   |\n");
}

TEST(MarkdownTable, ARowMustHaveACellPerColumn) {
  MarkdownTable table({{"a"}, {"b"}});
  EXPECT_THROW(table.add_row({"1"}), std::logic_error);
}

}  // namespace
}  // namespace mgdm::formats
