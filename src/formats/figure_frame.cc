#include "formats/figure_frame.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace mgdm::formats {
namespace {

// Okabe and Ito (2008) without black, and without yellow, which is too pale on white.
constexpr std::array<std::string_view, 6> kPalette{"#0072B2", "#D55E00", "#009E73",
                                                   "#CC79A7", "#E69F00", "#56B4E9"};
constexpr std::array<std::string_view, 3> kDashes{"", "2 3", "10 3 2 3"};
constexpr std::string_view kRightDash = "7 4";

constexpr double kMargin = 16;
constexpr double kTickGap = 8;                // between the plot and a tick's label
constexpr double kAxisName = kTextSize + 10;  // the name of an axis and the room before it

double widest_label(const Axis& axis) {
  double width = 0;
  for (const double tick : axis.ticks())
    width = std::max(width, text_width(axis.label(tick), kTextSize));
  return width;
}

TextStyle axis_name(double rotate) {
  return {.size = kTextSize, .colour = kTitleColour, .anchor = Anchor::kMiddle, .rotate = rotate};
}

}  // namespace

std::string_view series_colour(std::size_t series) { return kPalette[series % kPalette.size()]; }

std::string_view series_dash(std::size_t series, bool right_axis) {
  if (right_axis) return kRightDash;
  return kDashes[series / kPalette.size() % kDashes.size()];
}

FigureFrame::FigureFrame(const FigureLabels& labels, FigureSize size,
                         const std::vector<LegendEntry>& legend)
    : labels_(labels),
      full_width_(size.width),
      left_(kMargin),
      right_(size.width - kMargin),
      top_(kMargin),
      bottom_(size.height - kMargin),
      canvas_(size.width, size.height, labels.title) {
  MGDM_CHECK(size.width > 0 && size.height > 0);
  if (!labels.title.empty()) {
    top_ += kTitleSize;
    canvas_.text({left_, top_}, labels.title,
                 {.size = kTitleSize, .colour = kTitleColour, .bold = true});
    top_ += 10;
  }
  draw_legend(legend);
  top_ += 12;
  if (!labels.x.empty()) bottom_ -= kTextSize + 8;
}

void FigureFrame::draw_legend(const std::vector<LegendEntry>& legend) {
  if (std::all_of(legend.begin(), legend.end(), [](auto& entry) { return entry.name.empty(); }))
    return;
  constexpr double kBetween = 20, kRow = 20;
  top_ += kTextSize + 2;
  double x = left_;
  for (const LegendEntry& entry : legend) {
    const double swatch = entry.dash ? 22 : 12;
    const double width = swatch + 6 + text_width(entry.name, kTextSize);
    if (x > left_ && x + width > right_) {
      x = left_;
      top_ += kRow;
    }
    const double middle = top_ - 4;
    if (entry.dash)
      canvas_.line({x, middle}, {x + swatch, middle}, {entry.colour, 2.5, *entry.dash});
    else
      canvas_.rectangle({x, middle - 6}, swatch, 12, entry.colour);
    draw_label({x + swatch + 6, top_}, entry.name, Anchor::kStart);
    x += width + kBetween;
  }
  top_ += 6;
}

void FigureFrame::reserve(double above, double below) {
  top_ += above;
  bottom_ -= below;
  below_ += below;
}

int FigureFrame::y_intervals() const {
  return std::max(2, static_cast<int>((bottom_ - top_) / 40));
}

void FigureFrame::set_y_axes(const std::optional<Axis>& left, const std::optional<Axis>& right) {
  MGDM_CHECK(left || right);
  left_axis_ = left;
  right_axis_ = right;
  if (left) left_ += kTickGap + widest_label(*left) + (labels_.y.empty() ? 0 : kAxisName);
  if (right) right_ -= kTickGap + widest_label(*right) + (labels_.right.empty() ? 0 : kAxisName);
}

void FigureFrame::keep_left_of_plot(double width) { left_ = std::max(left_, width); }

void FigureFrame::draw_axes() {
  const bool grid_of_right = !left_axis_;
  for (const double tick : (grid_of_right ? right_axis_ : left_axis_)->ticks()) {
    const double y = y_pixel(tick, grid_of_right);
    canvas_.line({left_, y}, {right_, y}, {kGridColour});
  }
  constexpr double kHalfHeight = 4;  // of a digit
  const double middle = (top_ + bottom_) / 2;
  if (left_axis_) {
    for (const double tick : left_axis_->ticks())
      draw_label({left_ - kTickGap, y_pixel(tick, false) + kHalfHeight}, left_axis_->label(tick),
                 Anchor::kEnd);
    canvas_.text({kMargin + kTextSize - 2, middle}, labels_.y, axis_name(-90));
  }
  if (right_axis_) {
    for (const double tick : right_axis_->ticks())
      draw_label({right_ + kTickGap, y_pixel(tick, true) + kHalfHeight}, right_axis_->label(tick),
                 Anchor::kStart);
    canvas_.text({full_width_ - kMargin - kTextSize + 2, middle}, labels_.right, axis_name(90));
  }
  canvas_.text({(left_ + right_) / 2, bottom_ + below_ + kTextSize + 4}, labels_.x, axis_name(0));
}

void FigureFrame::draw_label(Pixel where, std::string_view text, Anchor anchor, double rotate) {
  canvas_.text(where, text,
               {.size = kTextSize, .colour = kTextColour, .anchor = anchor, .rotate = rotate});
}

void FigureFrame::draw_no_data() {
  canvas_.text({(left_ + right_) / 2, (top_ + bottom_) / 2}, "no data",
               {.size = 14, .colour = kAxisColour, .anchor = Anchor::kMiddle});
}

double FigureFrame::y_pixel(double value, bool right_axis) const {
  const std::optional<Axis>& axis = right_axis ? right_axis_ : left_axis_;
  MGDM_CHECK(axis.has_value());
  return bottom_ - axis->fraction(value) * (bottom_ - top_);
}

}  // namespace mgdm::formats
