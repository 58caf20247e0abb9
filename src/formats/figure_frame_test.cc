#include "formats/figure_frame.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mgdm::formats {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> out;
  for (const double tick : axis.ticks()) out.push_back(axis.label(tick));
  return out;
}

using Labels = std::vector<std::string>;

TEST(FigureAxis, RangeSkipsWhatCannotBeDrawn) {
  const Range range = range_of({kNan, 3, -kInfinity, -1, 1e301});
  EXPECT_EQ(range.low, -1);
  EXPECT_EQ(range.high, 3);
  EXPECT_EQ(range_of({}).high, 1);
  EXPECT_EQ(range_of({5}).low, 5);
}

TEST(FigureAxis, StepsAreOneTwoFive) {
  EXPECT_EQ(labels(Axis::around({0.03, 0.94}, 6)),
            (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(Axis::around({-7, 12}, 5)), (Labels{"−10", "−5", "0", "5", "10", "15"}));
  EXPECT_EQ(labels(Axis::around({0, 9}, 9)),
            (Labels{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
  EXPECT_EQ(labels(Axis::around({0, 43210}, 5)), (Labels{"0", "10k", "20k", "30k", "40k", "50k"}));
  EXPECT_EQ(labels(Axis::around({0, 2.4e6}, 5)),
            (Labels{"0", "0.5M", "1.0M", "1.5M", "2.0M", "2.5M"}));
}

TEST(FigureAxis, TicksAreTheNearestDoubles) {
  const Axis axis = Axis::around({0, 1}, 10);
  ASSERT_EQ(axis.ticks().size(), 11u);
  EXPECT_EQ(axis.ticks()[3], 0.3);  // 3 * 0.1 is another number
  EXPECT_EQ(axis.ticks()[7], 0.7);
}

TEST(FigureAxis, WithinKeepsTheEnds) {
  const Axis axis = Axis::within({3, 47}, 5);
  EXPECT_EQ(axis.low(), 3);
  EXPECT_EQ(axis.high(), 47);
  EXPECT_EQ(labels(axis), (Labels{"10", "20", "30", "40"}));
  EXPECT_EQ(axis.fraction(25), 0.5);
}

TEST(FigureAxis, SharingAGridHasExactlyItsIntervals) {
  for (const Range range : {Range{0, 1}, Range{0.7, 13}, Range{-3, 99}, Range{-1, 1},
                            Range{-1e-6, 1}, Range{4.9, 5.1}}) {
    for (int intervals = 2; intervals < 12; ++intervals) {
      const Axis axis = Axis::sharing_grid(range, intervals);
      EXPECT_EQ(axis.ticks().size(), static_cast<std::size_t>(intervals) + 1);
      EXPECT_LE(axis.low(), range.low);
      EXPECT_GE(axis.high(), range.high);
    }
  }
}

TEST(FigureAxis, SharingAZeroPutsItAtTheSameHeight) {
  const Axis left = Axis::around({-3, 9}, 5);
  for (const Range range : {Range{0, 300}, Range{-7, 0}, Range{-1, 1000}, Range{0, 0}}) {
    const Axis right = Axis::sharing_zero(range, left);
    EXPECT_EQ(right.ticks().size(), left.ticks().size());
    EXPECT_NEAR(right.fraction(0), left.fraction(0), 1e-12);
    EXPECT_LE(right.low(), range.low);
    EXPECT_GE(right.high(), range.high);
  }
  EXPECT_EQ(labels(Axis::sharing_zero({0, 300}, Axis::around({0, 100}, 6))),
            (Labels{"0", "100", "200", "300", "400", "500"}));
}

TEST(FigureAxis, EqualAndExtremeEndsStillMakeAnAxis) {
  const double next = std::nextafter(1.0, 2.0);
  for (const Range range :
       {Range{0, 0}, Range{5, 5}, Range{-2, -2}, Range{1, next}, Range{-1e300, 1e300},
        Range{0, 5e-324}, Range{0, 1e-290}, Range{1e300, 1e300}}) {
    for (const Axis& axis :
         {Axis::around(range, 5), Axis::within(range, 5), Axis::sharing_grid(range, 5)}) {
      EXPECT_LT(axis.low(), axis.high());
      EXPECT_LE(axis.low(), range.low);
      EXPECT_GE(axis.high(), range.high);
      EXPECT_GE(axis.ticks().size(), 2u);
      EXPECT_LE(axis.ticks().size(), 12u);
      EXPECT_TRUE(std::isfinite(axis.fraction(range.low)));
    }
  }
}

}  // namespace
}  // namespace mgdm::formats
