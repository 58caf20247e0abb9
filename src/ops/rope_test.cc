#include "ops/rope.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>

namespace mgdm::ops {
namespace {

const c10::Device kCpu(c10::kCPU);

double cosine(const Turns& turns, std::int64_t n, std::int64_t i) {
  return turns.cosines[n][i].item<double>();
}

TEST(Rope, AnglesArePositionTimesFrequency) {
  const Turns turns = rope_turns({.size = 8, .theta = 100}, /*first=*/3, /*count=*/2, kCpu);
  for (std::int64_t i = 0; i < 4; ++i) {
    const double frequency = std::pow(100.0, -static_cast<double>(2 * i) / 8);
    EXPECT_NEAR(cosine(turns, 0, i), std::cos(3 * frequency), 1e-6);
    EXPECT_NEAR(turns.sines[1][i].item<double>(), std::sin(4 * frequency), 1e-6);
  }
}

TEST(Rope, StretchesLongWavesOnly) {
  const RopeForm plain{.size = 8, .theta = 10000};
  RopeForm scaled = plain;
  scaled.scaling = RopeForm::Scaling::kLlama3;
  scaled.factor = 8;
  scaled.original_positions = 100;
  const Turns a = rope_turns(plain, 1, 1, kCpu), b = rope_turns(scaled, 1, 1, kCpu);
  EXPECT_EQ(cosine(a, 0, 0), cosine(b, 0, 0));             // a wave of 2 pi: as it was
  EXPECT_NEAR(cosine(b, 0, 3), std::cos(1e-3 / 8), 1e-7);  // one of 6283: eight times as long
  const double rounds = 100 * 0.1 / (2 * M_PI), kept = (rounds - 1) / 3;  // one of 63: between
  EXPECT_NEAR(cosine(b, 0, 1), std::cos(0.1 * (kept + (1 - kept) / 8)), 1e-7);
  scaled.scaling = RopeForm::Scaling::kLinear;
  EXPECT_NEAR(cosine(rope_turns(scaled, 1, 1, kCpu), 0, 0), std::cos(1.0 / 8), 1e-7);
}

// What attention sees of two vectors depends on how far apart they are, not on where.
TEST(Rope, ProductsDependOnDistanceAlone) {
  const at::Tensor q = at::randn({1, 1, 1, 16}), k = at::randn({1, 1, 1, 16});
  const auto product = [&](std::int64_t n, std::int64_t m) {
    const RopeForm form{.size = 16};
    return (rope(q, rope_turns(form, n, 1, kCpu)) * rope(k, rope_turns(form, m, 1, kCpu)))
        .sum()
        .item<double>();
  };
  EXPECT_NEAR(product(7, 3), product(104, 100), 1e-4);
  EXPECT_GT(std::abs(product(7, 3) - product(7, 6)), 1e-4);
}

}  // namespace
}  // namespace mgdm::ops
