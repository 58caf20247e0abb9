// Everything around the data of a figure: title, legend, y axes with their grid, and axis names. It
// is built from the outside in; the plot is what remains in the middle.
//
//   FigureFrame frame(labels, size, legend);
//   frame.reserve(0, 24);                        // room above and below the plot
//   frame.set_y_axes(left, right);               // room beside it
//   frame.draw_axes();
//   frame.canvas().circle({x, frame.y_pixel(value, false)}, 3, series_colour(0));
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/svg_canvas.h"
#include "formats/svg_figure.h"

namespace mgdm::formats {

// An axis with ticks at round numbers: multiples of 1, 2 or 5 times a power of ten.
//
//   Axis axis = Axis::around({0.03, 0.94}, 6);   // 0, 0.2, 0.4, 0.6, 0.8, 1
//   axis.fraction(0.5);                          // 0.5: where 0.5 stands between the ends

// The smallest and the largest of some numbers.
struct Range {
  double low = 0, high = 0;
};

// False for NaN, infinities and numbers too large to compute with: they are gaps in a figure.
bool is_drawable(double value);

// The range of the drawable numbers; {0, 1} when there is none.
Range range_of(const std::vector<double>& values);

// "-3" with the minus sign of typography, as wide as a plus.
std::string with_minus_sign(const std::string& number);

class Axis {
 public:
  // Ends on ticks, with about `intervals` of them inside. Equal ends are moved apart.
  static Axis around(Range range, int intervals);

  // Ends exactly at the range, for an x axis that data should fill.
  static Axis within(Range range, int intervals);

  // Ends on ticks, with exactly `intervals`: the ticks share the grid of another axis. At least
  // two, since no single interval between round numbers holds both -1 and 1.
  static Axis sharing_grid(Range range, int intervals);

  // The axis beside `other` for bars, which stand on zero: the zeros of both share a height too.
  // `other` must reach to both sides of zero that the range does.
  static Axis sharing_zero(Range range, const Axis& other);

  double low() const { return low_; }
  double high() const { return high_; }
  double fraction(double value) const { return (value - low_) / (high_ - low_); }

  const std::vector<double>& ticks() const { return ticks_; }
  std::string label(double tick) const;  // "0.25", "−3", "40k"

 private:
  // mantissa * 10^exponent, kept apart so that the multiples are the nearest doubles.
  struct Step {
    int mantissa = 1;
    int exponent = 0;
    double times(double count) const;
    Step next() const;  // 1 -> 2 -> 5 -> 10
  };

  Axis(double low, double high, Step step);
  static Step step_at_least(double length);

  double low_, high_;
  Step step_;
  std::vector<double> ticks_;
};

inline constexpr std::string_view kGridColour = "#e5e7eb", kAxisColour = "#6b7280";
inline constexpr std::string_view kTextColour = "#374151", kTitleColour = "#111827";
inline constexpr double kTextSize = 12, kTitleSize = 16;

// The style of the i-th series. After each round of colours the dashes change.
std::string_view series_colour(std::size_t series);
std::string_view series_dash(std::size_t series, bool right_axis);

struct LegendEntry {
  std::string name;
  std::string_view colour;
  std::optional<std::string_view> dash;  // of a line; none for a bar
};

class FigureFrame {
 public:
  FigureFrame(const FigureLabels& labels, FigureSize size, const std::vector<LegendEntry>& legend);

  void reserve(double above, double below);
  int y_intervals() const;  // that look good in the height there is now
  // Without a left axis the grid is that of the right one; one of them must be there.
  void set_y_axes(const std::optional<Axis>& left, const std::optional<Axis>& right);
  void keep_left_of_plot(double width);  // at least this much, for labels that reach there

  void draw_axes();  // grid, tick labels and names of all axes
  void draw_label(Pixel where, std::string_view text, Anchor anchor, double rotate = 0);
  void draw_no_data();

  double y_pixel(double value, bool right_axis) const;
  double left() const { return left_; }
  double right() const { return right_; }
  double top() const { return top_; }
  double bottom() const { return bottom_; }
  SvgCanvas& canvas() { return canvas_; }

 private:
  void draw_legend(const std::vector<LegendEntry>& legend);

  FigureLabels labels_;
  double full_width_;
  double left_, right_, top_, bottom_;  // the plot
  double below_ = 0;                    // reserved
  SvgCanvas canvas_;
  std::optional<Axis> left_axis_, right_axis_;
};

}  // namespace mgdm::formats
