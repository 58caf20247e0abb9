// An axis with ticks at round numbers: multiples of 1, 2 or 5 times a power of ten.
//
//   Axis axis = Axis::around({0.03, 0.94}, 6);   // 0, 0.2, 0.4, 0.6, 0.8, 1
//   axis.fraction(0.5);                          // 0.5: where 0.5 stands between the ends
#pragma once

#include <string>
#include <vector>

namespace mgdm::formats {

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

  // The same for bars, which stand on zero: the zeros share a height too. `other` must reach to
  // both sides of zero that the range does.
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

}  // namespace mgdm::formats
