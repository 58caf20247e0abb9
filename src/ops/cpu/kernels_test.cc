// The loops of this folder against plain ones, on every instruction set that this processor has.
#ifdef MGDM_HAVE_VECTORS

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ops/cpu/attention_weights.h"
#include "ops/cpu/elementwise_loops.h"
#include "ops/cpu/keep.h"
#include "vectors/test_support.h"

namespace mgdm::ops::cpu {
namespace {

using vectors::Floats;
using vectors::on_every_target;
using vectors::random_numbers;

// What a seed drops is part of what a seed means.
float factor_of(const Keep& keep, std::uint32_t index) {
  std::uint32_t h = (index * 0x9E3779B1u) ^ keep.low;
  h = (h ^ (h >> 16)) * 0x85EBCA6Bu + keep.high;
  h = (h ^ (h >> 13)) * 0xC2B2AE35u;
  h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
  h = (h ^ (h >> 13)) * 0xC2B2AE35u;
  h ^= h >> 16;
  return h >= keep.limit ? keep.scale : 0;
}

const Keep kThird(0.3, 0x123456789ABCDEF0u);

TEST(DropoutLoop, DropsByTheIndexAlone) {
  constexpr std::uint32_t kFirst = 0xFFFFFFF0u;  // an index wraps
  const Floats x = random_numbers(1003, 1, 1);
  on_every_target([&] {
    Floats y(x.size());
    dropout_loop(kThird, kFirst, x.data(), x.size(), y.data());
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(y[i], x[i] * factor_of(kThird, kFirst + static_cast<std::uint32_t>(i))) << i;
      if (y[i] == 0) ++zeros;
    }
    EXPECT_NEAR(static_cast<double>(zeros), 300.9, 60);  // four standard deviations
  });
}

TEST(GeluLoops, TouchNothingBesideThem) {
  on_every_target([] {
    for (const std::size_t count : {1u, 3u, 15u, 16u, 17u, 40u}) {
      const Floats x = random_numbers(count, 1, 2), dy = random_numbers(count, 2, 1);
      Floats y(count + 1, 7), dx(count + 1, 7);
      gelu_loop(x.data(), count, y.data());
      gelu_gradient_loop(x.data(), dy.data(), count, dx.data());
      for (std::size_t i = 0; i < count; ++i) {
        const double v = static_cast<double>(x[i]), root = std::sqrt(2 / M_PI);
        const double t = std::tanh(root * (v + 0.044715 * v * v * v));
        const double slope =
            0.5 * (1 + t) + 0.5 * v * (1 - t * t) * root * (1 + 3 * 0.044715 * v * v);
        ASSERT_NEAR(y[i], 0.5 * v * (1 + t), 1e-6);
        ASSERT_NEAR(dx[i], slope * static_cast<double>(dy[i]), 1e-6);
      }
      ASSERT_EQ(y[count], 7);
      ASSERT_EQ(dx[count], 7);
    }
  });
}

TEST(GeluLoops, KeepWhatIsNoNumber) {
  on_every_target([] {
    const float x = std::numeric_limits<float>::quiet_NaN(), one = 1;
    float y = 0, dx = 0;
    gelu_loop(&x, 1, &y);
    gelu_gradient_loop(&x, &one, 1, &dx);
    EXPECT_TRUE(std::isnan(y));
    EXPECT_TRUE(std::isnan(dx));
  });
}

TEST(AttentionWeights, AreDroppedAndKnownAgain) {
  constexpr std::size_t kRows = 3, kColumns = 32, kCount = kRows * kColumns;
  constexpr float kScale = 0.25f;
  on_every_target([] {
    Floats p = random_numbers(kCount, 1, 1), dk = random_numbers(kCount, 2, 1), kept(kCount),
           again(kCount);
    for (float& each : p) each = std::abs(each);
    const Floats before = p, gradient = dk;
    drop_weights(kThird, 100, kCount, p.data(), kept.data());
    score_gradients(kScale, kThird.scale, p.data(), kRows, kColumns, again.data(), dk.data());
    EXPECT_EQ(kept, again);
    for (std::size_t row = 0; row < kRows; ++row) {
      double sum = 0;
      const auto term = [&](std::size_t i) {  // p dp
        const float d = factor_of(kThird, 100 + static_cast<std::uint32_t>(i));
        return static_cast<double>(before[i]) * static_cast<double>(d) *
               static_cast<double>(gradient[i]);
      };
      for (std::size_t j = 0; j < kColumns; ++j) sum += term(row * kColumns + j);
      for (std::size_t i = row * kColumns; i < (row + 1) * kColumns; ++i) {
        const float d = factor_of(kThird, 100 + static_cast<std::uint32_t>(i));
        ASSERT_EQ(kept[i], before[i] * d);
        ASSERT_NEAR(dk[i],
                    static_cast<double>(kScale) * (term(i) - static_cast<double>(before[i]) * sum),
                    1e-5 * (1 + std::abs(sum)));
      }
    }
  });
}

}  // namespace
}  // namespace mgdm::ops::cpu

#endif
