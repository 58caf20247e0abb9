// Charts for reports as self-contained SVG: lines over numbers, and grouped bars over names.
//
//   LineChart chart;
//   chart.labels = {.title = "Sudoku", .x = "step", .y = "accuracy, %", .right = "loss"};
//   chart.curves = {{"accuracy", {{0, 10}, {1000, 97}}},
//                   {"loss", {{0, 2.3}, {1000, 0.1}}, /*right_axis=*/true}};
//   write_file("sudoku.svg", to_svg(chart));
//
// Equal charts have equal bytes. Values that are not finite are gaps. The colours are those of
// Okabe and Ito, which remain distinct with colour blindness; curves on the right axis are dashed.
#pragma once

#include <string>
#include <vector>

namespace mgdm::formats {

struct FigureLabels {
  std::string title{}, x{}, y{};
  std::string right{};  // of the second y axis, drawn when a series uses it
};

struct FigureSize {
  int width = 720, height = 420;
};

struct Curve {
  struct Point {
    double x = 0, y = 0;
  };
  std::string name;
  std::vector<Point> points;  // joined in this order
  bool right_axis = false;
  std::vector<Point> apart{};  // of the same colour, each a ring, not joined
};

struct LineChart {
  FigureLabels labels{};
  std::vector<Curve> curves{};
  FigureSize size{};
};

struct BarSeries {
  std::string name;
  std::vector<double> values;  // one per category; missing ones at the end are gaps
  bool right_axis = false;
};

struct BarChart {
  FigureLabels labels{};
  std::vector<std::string> categories{};
  std::vector<BarSeries> series{};
  bool show_values = true;  // above the bars, where all of them fit
  FigureSize size{};
};

std::string to_svg(const LineChart& chart);
std::string to_svg(const BarChart& chart);

}  // namespace mgdm::formats
