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

#include "formats/figure_axis.h"
#include "formats/svg_canvas.h"
#include "formats/svg_figure.h"

namespace mgdm::formats {

inline constexpr std::string_view kGridColour = "#e5e7eb", kAxisColour = "#6b7280";
inline constexpr std::string_view kTextColour = "#374151", kTitleColour = "#111827";
inline constexpr double kTextSize = 12, kTitleSize = 16;

// Of the i-th series. After each round of colours lines change their dashes.
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
