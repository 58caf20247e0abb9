#include "reproduction/table.h"

#include <gtest/gtest.h>

#include "formats/test_support.h"

namespace mgdm::reproduction {
namespace {

TEST(ReproductionTable, GoesThroughJson) {
  Table table{"t", "A <title>", "Table 9"};
  table.corner = "who";
  table.columns = {"a", "b"};
  Value number{.paper = 52, .ours = 51.25, .error = 1.6, .strict = 50};
  number.n = 1000;
  number.x = 2.5;
  number.note = "step 3 of 5";
  number.commands = {"mgdm eval --model x"};
  number.revision = "abc";
  Value text;
  text.parts = {{"2*3=6"}, {","}, {"6*1=7", true, true}};
  table.rows = {{"us", {number, text}}, {"nobody", {}}};
  table.notes = {"A note."};
  const Table again = from_json(Json::parse(to_json(table).dump()));
  EXPECT_EQ(to_json(again), to_json(table));
  const std::string markdown = to_markdown(again);
  EXPECT_EQ(markdown, to_markdown(table));
  EXPECT_CONTAINS(markdown, "51.2 ± 1.6 (50) [1]");
  EXPECT_CONTAINS(markdown, "2\\*3=6,<ins><b>6\\*1=7</b></ins>");
  EXPECT_CONTAINS(markdown, "[1] step 3 of 5");
  EXPECT_CONTAINS(markdown, "A note.\n\n    mgdm eval --model x\n");
  EXPECT_NE(error_of([] { from_json(Json::parse(R"({"name": "t"})")); }), "");
}

TEST(ReproductionTable, EndsWithItsNotesWhereNoCommandIsKnown) {
  Table table{"t", "Title", ""};
  table.columns = {"a"};
  table.rows = {{"us", {{.ours = 1}}}};
  table.notes = {"A note."};
  EXPECT_TRUE(to_markdown(table).ends_with("|\n\nA note.\n"));
}

TEST(ReproductionTable, LinesGoOverTheirColumns) {
  Table table{"t", "Lines", "here"};
  table.corner = "model";
  table.axis = "passes";
  table.columns = {"1", "1.5", "20", "threshold", "seconds"};
  table.chart = Chart::kLines;
  const auto at = [](double ours, std::optional<double> x = {}) {
    Value value{.ours = ours};
    value.x = x;
    return value;
  };
  table.rows = {{"a", {at(10), at(20), {}, at(30, 2.5), at(7)}}};
  const std::string by_column = to_figure(table);
  EXPECT_CONTAINS(by_column, ">passes</text>");
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (auto i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count(by_column, "<circle"), 4u);  // two points and a ring; not the seconds
  EXPECT_EQ(count(by_column, "<polyline"), 1u);
  table.rows[0].values[1].x = 100;  // a point of the line that lies elsewhere
  EXPECT_EQ(count(to_figure(table), "<circle"), 4u);
  EXPECT_NE(to_figure(table), by_column);
}

TEST(ReproductionTable, NumbersAreShort) {
  EXPECT_EQ(number_text(52), "52");
  EXPECT_EQ(number_text(51.25), "51.2");
  EXPECT_EQ(number_text(0.0693), "0.069");
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(strict_text({.ours = 51.2, .strict = 51.21}), "");
  EXPECT_EQ(strict_text({.ours = 51.2, .strict = 49}), "49");
}

}  // namespace
}  // namespace mgdm::reproduction
