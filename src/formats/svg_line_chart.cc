#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "formats/figure_frame.h"
#include "formats/svg_canvas.h"
#include "formats/svg_figure.h"

namespace mgdm::formats {
namespace {

bool is_drawable(const Curve::Point& point) {
  return formats::is_drawable(point.x) && formats::is_drawable(point.y);
}

double x_pixel(double value, const Axis& axis, const FigureFrame& frame) {
  return frame.left() + axis.fraction(value) * (frame.right() - frame.left());
}

void draw_x_axis(const Axis& axis, FigureFrame& frame) {
  SvgCanvas& canvas = frame.canvas();
  for (const double tick : axis.ticks()) {
    const double x = x_pixel(tick, axis, frame);
    canvas.line({x, frame.top()}, {x, frame.bottom()}, {kGridColour});
    canvas.line({x, frame.bottom()}, {x, frame.bottom() + 5}, {kAxisColour});
    frame.draw_label({x, frame.bottom() + 19}, axis.label(tick), Anchor::kMiddle);
  }
}

// The parts of a curve between its gaps.
std::vector<std::vector<Curve::Point>> runs_of(const Curve& curve) {
  std::vector<std::vector<Curve::Point>> runs(1);
  for (const Curve::Point& point : curve.points) {
    if (is_drawable(point))
      runs.back().push_back(point);
    else if (!runs.back().empty())
      runs.emplace_back();
  }
  return runs;
}

void draw_curve(const Curve& curve, std::size_t series, const Axis& x_axis, FigureFrame& frame) {
  constexpr std::size_t kMostMarkers = 30;  // more would hide the line
  for (const std::vector<Curve::Point>& run : runs_of(curve)) {
    std::vector<Pixel> pixels;
    for (const auto& [x, y] : run)
      pixels.push_back({x_pixel(x, x_axis, frame), frame.y_pixel(y, curve.right_axis)});
    if (pixels.size() > 1)
      frame.canvas().polyline(pixels,
                              {series_colour(series), 2, series_dash(series, curve.right_axis)});
    if (pixels.size() == 1 || curve.points.size() <= kMostMarkers)
      for (const Pixel& pixel : pixels) frame.canvas().circle(pixel, 3, series_colour(series));
  }
  for (const Curve::Point& point : curve.apart) {
    if (!is_drawable(point)) continue;
    const Pixel centre{x_pixel(point.x, x_axis, frame), frame.y_pixel(point.y, curve.right_axis)};
    frame.canvas().circle(centre, 6, series_colour(series));
    frame.canvas().circle(centre, 3.5, "#ffffff");
  }
}

}  // namespace

std::string to_svg(const LineChart& chart) {
  std::vector<LegendEntry> legend;
  std::vector<double> xs, on_left, on_right;
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const Curve& curve = chart.curves[i];
    legend.push_back({curve.name, series_colour(i), series_dash(i, curve.right_axis)});
    for (const auto* const points : {&curve.points, &curve.apart})
      for (const Curve::Point& point : *points) {
        if (!is_drawable(point)) continue;
        xs.push_back(point.x);
        (curve.right_axis ? on_right : on_left).push_back(point.y);
      }
  }

  FigureFrame frame(chart.labels, chart.size, legend);
  frame.reserve(0, 24);
  std::optional<Axis> left, right;
  if (!on_left.empty() || on_right.empty())
    left = Axis::around(range_of(on_left), frame.y_intervals());
  if (!on_right.empty()) {
    const int intervals = left ? static_cast<int>(left->ticks().size()) - 1 : frame.y_intervals();
    right = Axis::sharing_grid(range_of(on_right), std::max(2, intervals));
  }
  frame.set_y_axes(left, right);
  const int x_intervals = std::max(2, static_cast<int>((frame.right() - frame.left()) / 80));
  const Axis x_axis = Axis::within(range_of(xs), x_intervals);

  draw_x_axis(x_axis, frame);
  frame.draw_axes();
  frame.canvas().line({frame.left(), frame.bottom()}, {frame.right(), frame.bottom()},
                      {kAxisColour});
  for (std::size_t i = 0; i < chart.curves.size(); ++i)
    draw_curve(chart.curves[i], i, x_axis, frame);
  if (xs.empty()) frame.draw_no_data();
  return std::move(frame.canvas()).finish();
}

}  // namespace mgdm::formats
