#include "formats/svg_figure.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

#include "base/files.h"
#include "formats/svg_canvas.h"
#include "formats/test_support.h"

namespace mgdm::formats {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++n;
  return n;
}

// All elements of one kind, from '<' to '>'.
std::vector<std::string> elements(const std::string& svg, const std::string& kind) {
  std::vector<std::string> out;
  for (std::size_t i = svg.find("<" + kind); i != std::string::npos;
       i = svg.find("<" + kind, i + 1))
    out.push_back(svg.substr(i, svg.find('>', i) - i + 1));
  return out;
}

std::string attribute(const std::string& element, const std::string& name) {
  const std::string start = " " + name + "=\"";
  const std::size_t begin = element.find(start);
  if (begin == std::string::npos) return "";
  const std::size_t end = element.find('"', begin + start.size());
  return element.substr(begin + start.size(), end - begin - start.size());
}

// The numbers of a polyline: x, y, x, y, ...
std::vector<double> coordinates(const std::string& polyline) {
  std::string points = attribute(polyline, "points");
  std::replace(points.begin(), points.end(), ',', ' ');
  std::istringstream in(points);
  return {std::istream_iterator<double>(in), {}};
}

// A figure is one well-formed element whose numbers are all finite.
void expect_sound(const std::string& svg) {
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")) << svg;
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("script"), std::string::npos);
  EXPECT_EQ(count(svg, "<"), count(svg, ">"));
  EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
}

TEST(LineChart, JoinsThePointsFromCornerToCorner) {
  LineChart chart;
  chart.curves = {{"a", {{0, 0}, {5, 10}, {10, 5}}}};
  const std::string svg = to_svg(chart);
  expect_sound(svg);
  ASSERT_EQ(elements(svg, "polyline").size(), 1u);
  const std::vector<double> points = coordinates(elements(svg, "polyline")[0]);
  ASSERT_EQ(points.size(), 6u);
  EXPECT_NEAR(points[2], (points[0] + points[4]) / 2, 0.02);  // x = 5 is in the middle
  EXPECT_NEAR(points[5], (points[1] + points[3]) / 2, 0.02);  // y = 5 too
  EXPECT_LT(points[3], points[1]);                            // up is up
  double right = 0;
  for (const std::string& line : elements(svg, "line"))
    if (attribute(line, "y1") == attribute(line, "y2"))  // a grid line goes from end to end
      right = std::max(right, std::stod(attribute(line, "x2")));
  EXPECT_NEAR(points[4], right, 0.02);  // x = 10 is where the plot ends
  EXPECT_EQ(count(svg, "<circle"), 3u);
}

TEST(LineChart, PointsApartAreRings) {
  LineChart chart;
  chart.curves = {{"a", {{0, 0}, {10, 5}}, false, {{5, 10}, {kNan, 1}}}};
  const std::string svg = to_svg(chart);
  expect_sound(svg);
  ASSERT_EQ(elements(svg, "polyline").size(), 1u);
  const std::vector<double> points = coordinates(elements(svg, "polyline")[0]);
  ASSERT_EQ(points.size(), 4u);
  const auto circles = elements(svg, "circle");
  ASSERT_EQ(circles.size(), 4u);  // two of the line, and a ring of two
  EXPECT_EQ(attribute(circles[2], "fill"), attribute(circles[0], "fill"));
  EXPECT_EQ(attribute(circles[3], "fill"), "#ffffff");
  EXPECT_NEAR(std::stod(attribute(circles[2], "cx")), (points[0] + points[2]) / 2, 0.02);
  EXPECT_LT(std::stod(attribute(circles[2], "cy")), points[3]);  // it has room above the line
}

TEST(LineChart, ShowsTitleNamesLegendAndTicks) {
  LineChart chart;
  chart.labels = {.title = "T", .x = "steps", .y = "loss", .right = "unused"};
  chart.curves = {{"first", {{0, 0}, {1, 4}}}, {"second", {{0, 1}, {1, 2}}}};
  const std::string svg = to_svg(chart);
  for (const char* text : {">T<", ">steps<", ">loss<", ">first<", ">second<", ">0.0<", ">0.2<",
                           ">4<", "<title>T</title>"})
    EXPECT_CONTAINS(svg, text);
  EXPECT_EQ(svg.find("unused"), std::string::npos) << "no curve uses the right axis";
}

TEST(LineChart, TheRightAxisHasItsOwnScale) {
  LineChart chart;
  chart.labels.right = "ms";
  chart.curves = {{"l", {{0, 0}, {1, 1}}}, {"r", {{0, 0}, {1, 1000}}, true}};
  const std::string svg = to_svg(chart);
  expect_sound(svg);
  EXPECT_CONTAINS(svg, ">ms<");
  EXPECT_CONTAINS(svg, ">1000<");
  const std::vector<std::string> lines = elements(svg, "polyline");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(coordinates(lines[0]), coordinates(lines[1]));
  EXPECT_EQ(attribute(lines[0], "stroke-dasharray"), "");
  EXPECT_EQ(attribute(lines[1], "stroke-dasharray"), "7 4");
}

TEST(LineChart, GapsSplitTheLineAndLonePointsAreDots) {
  std::vector<Curve::Point> points(100);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {static_cast<double>(i), 1.0};
  points[10].y = kNan;
  points[11].y = kInfinity;
  points[50].y = kNan;
  points[52].x = kNan;  // 51 stands alone
  LineChart chart;
  chart.curves = {{"a", points}};
  const std::string svg = to_svg(chart);
  expect_sound(svg);
  EXPECT_EQ(count(svg, "<polyline"), 3u);
  EXPECT_EQ(count(svg, "<circle"), 1u);
}

TEST(LineChart, DegenerateData) {
  for (const std::vector<Curve>& curves :
       {std::vector<Curve>{}, {{"empty", {}}}, {{"gaps", {{kNan, 1}, {1, kNan}}}}}) {
    LineChart chart;
    chart.curves = curves;
    const std::string svg = to_svg(chart);
    expect_sound(svg);
    EXPECT_CONTAINS(svg, ">no data<");
  }
  for (const double value : {0.0, 7.0, -1e-12, 1e300}) {
    LineChart chart;
    chart.curves = {{"one", {{value, value}}}, {"right", {{value, value}}, true}};
    const std::string svg = to_svg(chart);
    expect_sound(svg);
    EXPECT_EQ(count(svg, "<circle"), 2u);
  }
  LineChart right_only;
  right_only.curves = {{"r", {{0, 1}, {1, 2}}, true}};
  expect_sound(to_svg(right_only));
}

TEST(LineChart, ManyCurvesDifferInColourOrDash) {
  LineChart chart;
  for (int i = 0; i < 14; ++i) chart.curves.push_back({"c", {{0, 0}, {1, 1.0 * i}}});
  const std::string svg = to_svg(chart);
  std::set<std::string> looks;
  for (const std::string& line : elements(svg, "polyline"))
    looks.insert(attribute(line, "stroke") + "/" + attribute(line, "stroke-dasharray"));
  EXPECT_EQ(looks.size(), 14u);
}

TEST(BarChart, HeightsAreProportionalAndStandOnZero) {
  BarChart chart;
  chart.categories = {"x", "y"};
  chart.series = {{"a", {10, -5}}};
  const std::string svg = to_svg(chart);
  expect_sound(svg);
  const std::vector<std::string> rectangles = elements(svg, "rect");
  ASSERT_EQ(rectangles.size(), 4u);  // the background, the legend's and two bars
  const auto number = [&](std::size_t i, const char* name) {
    return std::stod(attribute(rectangles[i], name));
  };
  EXPECT_NEAR(number(2, "height"), 2 * number(3, "height"), 0.02);
  EXPECT_NEAR(number(2, "y") + number(2, "height"), number(3, "y"), 0.02);
  EXPECT_LT(number(2, "x") + number(2, "width"), number(3, "x"));
  EXPECT_CONTAINS(svg, ">10<");
  EXPECT_CONTAINS(svg, ">−5<");
}

TEST(BarChart, GapsMissingValuesAndNoData) {
  BarChart chart;
  chart.categories = {"x", "y", "z"};
  chart.series = {{"", {1, kNan}}, {"", {2, 3, 4}}};
  const std::string svg = to_svg(chart);
  expect_sound(svg);
  EXPECT_EQ(count(svg, "<rect"), 1u + 1 + 3);
  for (const BarChart& empty : {BarChart{}, BarChart{.categories = {"x"}},
                                BarChart{.categories = {"x"}, .series = {{"a", {kNan}}}},
                                BarChart{.series = {{"a", {1}, true}}}}) {
    expect_sound(to_svg(empty));
    EXPECT_CONTAINS(to_svg(empty), ">no data<");
  }
}

TEST(BarChart, TwoAxesWithAnySigns) {
  for (const double left : {-3.0, 0.0, 5.0, 1e-12})
    for (const double right : {-200.0, 0.0, 90.0, -1e-9}) {
      BarChart chart;
      chart.categories = {"x", "y"};
      chart.series = {{"l", {left, 1}}, {"r", {right, 1}, true}};
      expect_sound(to_svg(chart));
    }
}

// Bars of no height need no axis of their own: the others stand as they do alone.
TEST(BarChart, ZerosLeaveTheOtherAxisItsRoom) {
  BarChart alone;
  alone.categories = {"x", "y"};
  alone.series = {{"r", {-200, 90}, true}};
  BarChart beside_zeros = alone;
  beside_zeros.series.insert(beside_zeros.series.begin(), {"l", {0, 0}});
  const std::vector<std::string> expected = elements(to_svg(alone), "rect"),
                                 seen = elements(to_svg(beside_zeros), "rect");
  for (std::size_t bar = 0; bar < 2; ++bar)  // from the last one; before each of them is a zero
    for (const char* const name : {"y", "height"})
      EXPECT_EQ(attribute(seen[seen.size() - 1 - 2 * bar], name),
                attribute(expected[expected.size() - 1 - bar], name));
}

TEST(BarChart, LongNamesAreTurned) {
  BarChart chart;
  chart.categories = {"short", "names"};
  chart.series = {{"a", {1, 2}}};
  EXPECT_EQ(to_svg(chart).find("rotate(-35"), std::string::npos);
  chart.categories = std::vector<std::string>(12, "a rather long name");
  EXPECT_EQ(count(to_svg(chart), "rotate(-35"), 12u);
  chart.categories = {std::string(200, 'x')};
  EXPECT_CONTAINS(to_svg(chart), ">" + std::string(35, 'x') + "…<");
}

// A turned name ends below its bar. The widest one decides how far left of the plot it may begin.
TEST(BarChart, TurnedNamesBeginInsideTheFigure) {
  for (const std::size_t wide : {0, 1, 11}) {
    BarChart chart;
    chart.categories = std::vector<std::string>(12, "a name");
    chart.categories[wide] = std::string(34, 'w');
    chart.series = {{"a", std::vector<double>(12, 1)}};
    const std::string svg = to_svg(chart);
    double least = 1e9;
    std::size_t turned = 0;
    for (const std::string& text : elements(svg, "text")) {
      if (attribute(text, "transform").find("rotate(-35") == std::string::npos) continue;
      const double width = text_width(chart.categories[turned++], 12);
      least = std::min(least, std::stod(attribute(text, "x")) - 0.819 * width);
    }
    EXPECT_EQ(turned, 12u);
    EXPECT_GT(least, 0) << wide;
    if (wide == 0) {
      EXPECT_LT(least, 20) << "no more room than the name needs";
    }
  }
}

// After a wanted change of looks: MGDM_WRITE_GOLDEN=1 build/release/formats_test, and look at the
// files.
TEST(SvgFigure, LooksAsItDid) {
  const FigureLabels labels{.title = "Sudoku", .x = "step", .y = "accuracy, %", .right = "loss"};
  const LineChart lines{labels,
                        {{"accuracy", {{0, 10}, {500, 62}, {1000, 97}}, false, {{750, 80}}},
                         {"loss", {{0, 2.3}, {400, kNan}, {600, 0.4}, {1000, 0.1}}, true},
                         {"a curve with a long name", {{0, 1}, {1000, 30}}},
                         {"another curve with a long name", {{0, 5}, {1000, 1.5e6}}}}};
  const BarChart bars{labels,
                      {"planning", "countdown-4", "a category with a long name", "sat-9"},
                      {{"ours", {99.5, 52, kNan, -12}},
                       {"paper", {100, 51.25, 7}},
                       {"ms", {1.5, 20, 300, 4000}, true}}};
  BarChart plain = bars;
  plain.show_values = false;
  for (const auto& [name, svg] :
       {std::pair("lines", to_svg(lines)), std::pair("bars", to_svg(bars)),
        std::pair("plain-bars", to_svg(plain))}) {
    const std::string path = fmt::format(MGDM_SOURCE_DIR "/tests/golden/figures/{}.svg", name);
    if (std::getenv("MGDM_WRITE_GOLDEN") != nullptr) write_file(path, svg);
    EXPECT_EQ(svg, read_file(path));
  }
}

TEST(SvgFigure, TextIsEscapedAndRepaired) {
  EXPECT_EQ(xml_escaped("a<b>&\"c\"\n"), "a&lt;b&gt;&amp;&quot;c&quot; ");
  EXPECT_EQ(xml_escaped(std::string_view("\0\x1B\xFF", 3)), "\uFFFD\uFFFD\uFFFD");
  LineChart chart;
  chart.labels = {.title = "<b>&", .x = "<x>", .y = "]]>", .right = "\""};
  chart.curves = {{"</svg>", {{0, 0}}}, {"<", {{0, 0}}, true}};
  expect_sound(to_svg(chart));
}

TEST(SvgFigure, SmallSizesAreDrawnToo) {
  LineChart lines{.curves = {{"a", {{0, 0}, {1, 1}}}}, .size = {20, 20}};
  BarChart bars{.categories = {"x"}, .series = {{"a", {1}}}, .size = {1, 1}};
  EXPECT_FALSE(to_svg(lines).empty());
  EXPECT_FALSE(to_svg(bars).empty());
}

}  // namespace
}  // namespace mgdm::formats
