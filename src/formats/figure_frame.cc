#include "formats/figure_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

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

constexpr double kLargestDrawn = 1e300;  // so that the length of a range is finite
constexpr double kTolerance = 1e-9;      // a number this close to a tick, in steps, is on it

// A range that can be divided: equal ends, or ends that differ by rounding only, move apart.
Range apart(Range range) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (size < 1 / kLargestDrawn) return {0, 1};
  if (range.high - range.low > kTolerance * size) return range;
  return {range.low - 0.1 * size, range.high + 0.1 * size};
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

std::string with_minus_sign(const std::string& number) {
  if (!number.starts_with('-')) return number;
  return fmt::format("\u2212{}", std::string_view(number).substr(1));
}

bool is_drawable(double value) { return std::abs(value) <= kLargestDrawn; }

Range range_of(const std::vector<double>& values) {
  bool any = false;
  Range range{0, 1};
  for (const double value : values) {
    if (!is_drawable(value)) continue;
    range.low = any ? std::min(range.low, value) : value;
    range.high = any ? std::max(range.high, value) : value;
    any = true;
  }
  return range;
}

double Axis::Step::times(double count) const {
  const double number = count * mantissa;
  return exponent < 0 ? number / std::pow(10.0, -exponent) : number * std::pow(10.0, exponent);
}

Axis::Step Axis::Step::next() const {
  if (mantissa == 1) return {2, exponent};
  if (mantissa == 2) return {5, exponent};
  return {1, exponent + 1};
}

Axis::Step Axis::step_at_least(double length) {
  Step step{1, static_cast<int>(std::floor(std::log10(length))) - 1};
  while (step.times(1) < length * (1 - kTolerance)) step = step.next();
  return step;
}

Axis::Axis(double low, double high, Step step) : low_(low), high_(high), step_(step) {
  const double first = std::ceil(low / step.times(1) - kTolerance);
  const double last = std::floor(high / step.times(1) + kTolerance);
  for (double i = first; i <= last; ++i) ticks_.push_back(step.times(i) + 0.0);  // no -0
}

Axis Axis::around(Range range, int intervals) {
  const auto [low, high] = apart(range);
  const Step step = step_at_least((high - low) / intervals);
  return {step.times(std::floor(low / step.times(1) + kTolerance)),
          step.times(std::ceil(high / step.times(1) - kTolerance)), step};
}

Axis Axis::within(Range range, int intervals) {
  const auto [low, high] = apart(range);
  return {low, high, step_at_least((high - low) / intervals)};
}

Axis Axis::sharing_grid(Range range, int intervals) {
  MGDM_CHECK(intervals >= 2);
  const auto [low, high] = apart(range);
  for (Step step = step_at_least((high - low) / intervals);; step = step.next()) {
    const double first = std::floor(low / step.times(1) + kTolerance);
    if (step.times(first + intervals) >= high - kTolerance * step.times(1))
      return {step.times(first), step.times(first + intervals), step};
  }
}

Axis Axis::sharing_zero(Range range, const Axis& other) {
  const double below = std::round(-other.low_ / other.step_.times(1));
  const double above = std::round(other.high_ / other.step_.times(1));
  MGDM_CHECK(below >= 0 && above >= 0);
  MGDM_CHECK((range.low >= 0 || below > 0) && (range.high <= 0 || above > 0));
  const double least =
      std::max(range.low < 0 ? -range.low / below : 0, range.high > 0 ? range.high / above : 0);
  const Step step = least > 1 / kLargestDrawn ? step_at_least(least) : Step{};
  return {step.times(-below), step.times(above), step};
}

std::string Axis::label(double tick) const {
  if (tick == 0 && step_.exponent >= 0) return "0";
  const double size = std::max(std::abs(low_), std::abs(high_));
  if (size >= 1e15 || step_.exponent < -6) return with_minus_sign(fmt::format("{:g}", tick));
  const auto [power, unit] = size >= 1e9   ? std::pair(9, "G")
                             : size >= 1e6 ? std::pair(6, "M")
                             : size >= 1e4 ? std::pair(3, "k")
                                           : std::pair(0, "");
  const int decimals = std::max(0, power - step_.exponent);
  return with_minus_sign(fmt::format("{:.{}f}{}", tick / std::pow(10.0, power), decimals, unit));
}

}  // namespace mgdm::formats
