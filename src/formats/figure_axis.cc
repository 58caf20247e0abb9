#include "formats/figure_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace mgdm::formats {
namespace {

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
