#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "formats/figure_frame.h"
#include "formats/svg_canvas.h"
#include "formats/svg_figure.h"

namespace mgdm::formats {
namespace {

constexpr double kValueSize = 11;         // of the numbers above the bars,
constexpr double kSmallestValue = 8;      // or less where bars are narrow
constexpr double kTurn = 35;              // degrees, of names that do not fit side by side
constexpr std::size_t kLongestName = 36;  // code points; longer names are shortened

double value_at(const BarSeries& series, std::size_t category) {
  return category < series.values.size() ? series.values[category]
                                         : std::numeric_limits<double>::quiet_NaN();
}

std::string value_label(double value) {
  const bool whole = std::abs(value) >= 1000 && std::abs(value) < 1e6;
  return with_minus_sign(whole ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value));
}

// The range of the values on one axis and of zero, on which bars stand. A bar too small to be seen
// needs no room on its side of zero.
Range bar_range(const BarChart& chart, bool right_axis) {
  std::vector<double> values{0};
  for (const BarSeries& series : chart.series)
    for (std::size_t c = 0; c < chart.categories.size(); ++c)
      if (series.right_axis == right_axis) values.push_back(value_at(series, c));
  Range range = range_of(values);
  constexpr double kVisible = 1e-6;
  if (-range.low < kVisible * range.high) range.low = 0;
  if (range.high < kVisible * -range.low) range.high = 0;
  return range;
}

bool has_series(const BarChart& chart, bool right_axis) {
  return std::any_of(chart.series.begin(), chart.series.end(),
                     [&](const BarSeries& series) { return series.right_axis == right_axis; });
}

void set_y_axes(const BarChart& chart, FigureFrame& frame) {
  Range left = bar_range(chart, false);
  if (!has_series(chart, true))
    return frame.set_y_axes(Axis::around(left, frame.y_intervals()), std::nullopt);
  const Range right = bar_range(chart, true);
  if (!has_series(chart, false))
    return frame.set_y_axes(std::nullopt, Axis::around(right, frame.y_intervals()));
  // The left axis gets the room below and above zero that the right one needs.
  const double left_size = std::max(-left.low, left.high);
  const double right_size = std::max(-right.low, right.high);
  if (left_size > 0 && right_size > 0) {
    left.low = std::min(left.low, right.low / right_size * left_size);
    left.high = std::max(left.high, right.high / right_size * left_size);
  } else if (left_size == 0) {
    left = right;
  }
  const Axis axis = Axis::around(left, frame.y_intervals());
  frame.set_y_axes(axis, Axis::sharing_zero(right, axis));
}

// How the names below the plot are set.
struct Names {
  std::vector<std::string> texts;
  double widest = 0;
  bool turned = false;

  explicit Names(const BarChart& chart) {
    for (const std::string& name : chart.categories) {
      texts.push_back(shortened(name, kLongestName));
      widest = std::max(widest, text_width(texts.back(), kTextSize));
    }
    // How wide a slot is depends on the y axes, which take about 100 pixels.
    const double slots = static_cast<double>(std::max<std::size_t>(1, texts.size()));
    turned = widest + 8 > (chart.size.width - 100) / slots;
  }

  static double radians() { return kTurn * std::numbers::pi / 180; }
  double height() const { return turned ? 20 + widest * std::sin(radians()) : 24; }

  // What turned names need to the left of the plot, so that none begins outside the figure.
  double left_of_plot(double slot) const {
    double width = 0;
    for (std::size_t i = 0; turned && i < texts.size(); ++i)
      width = std::max(width, text_width(texts[i], kTextSize) * std::cos(radians()) -
                                  slot * (static_cast<double>(i) + 0.5) + 8);
    return width;
  }

  void draw(std::size_t i, double centre, FigureFrame& frame) const {
    if (turned)
      frame.draw_label({centre + 4, frame.bottom() + 14}, texts[i], Anchor::kEnd, -kTurn);
    else
      frame.draw_label({centre, frame.bottom() + 19}, texts[i], Anchor::kMiddle);
  }
};

}  // namespace

std::string to_svg(const BarChart& chart) {
  std::vector<LegendEntry> legend;
  double widest_value = 0;
  bool any = false;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    legend.push_back({chart.series[i].name, series_colour(i), std::nullopt});
    for (std::size_t c = 0; c < chart.categories.size(); ++c) {
      const double value = value_at(chart.series[i], c);
      if (!is_drawable(value)) continue;
      any = true;
      widest_value = std::max(widest_value, text_width(value_label(value), kValueSize));
    }
  }

  const Names names(chart);
  const double slots = static_cast<double>(std::max<std::size_t>(1, chart.categories.size()));
  const double bars = static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
  FigureFrame frame(chart.labels, chart.size, legend);
  frame.reserve(chart.show_values ? kValueSize : 0, names.height());
  set_y_axes(chart, frame);
  frame.keep_left_of_plot(names.left_of_plot((frame.right() - frame.left()) / slots));
  frame.draw_axes();

  SvgCanvas& canvas = frame.canvas();
  const double slot = (frame.right() - frame.left()) / slots;
  const double bar = std::min(slot * 0.76 / bars, 64.0);
  const double gap = std::min(1.0, bar / 8);
  // A number keeps away from its neighbours; one alone may be wider than its bar.
  const double room = bars > 1 ? bar - 2 : bar + 20;
  const double value_size = kValueSize * std::min(1.0, room / std::max(1.0, widest_value));
  const bool show_values = chart.show_values && value_size >= kSmallestValue;
  for (std::size_t c = 0; c < chart.categories.size(); ++c) {
    const double centre = frame.left() + slot * (static_cast<double>(c) + 0.5);
    names.draw(c, centre, frame);
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      const BarSeries& series = chart.series[i];
      const double value = value_at(series, c);
      if (!is_drawable(value)) continue;
      const double x = centre + bar * (static_cast<double>(i) - bars / 2);
      const double zero = frame.y_pixel(0, series.right_axis);
      const double end = frame.y_pixel(value, series.right_axis);
      canvas.rectangle({x + gap, std::min(zero, end)}, bar - 2 * gap, std::abs(zero - end),
                       series_colour(i));
      if (show_values)
        canvas.text({x + bar / 2, value < 0 ? end + 13 : end - 5}, value_label(value),
                    {.size = value_size, .colour = kTextColour, .anchor = Anchor::kMiddle});
    }
  }
  const double zero = frame.y_pixel(0, !has_series(chart, false) && has_series(chart, true));
  canvas.line({frame.left(), zero}, {frame.right(), zero}, {kAxisColour});
  if (!any) frame.draw_no_data();
  return std::move(frame.canvas()).finish();
}

}  // namespace mgdm::formats
