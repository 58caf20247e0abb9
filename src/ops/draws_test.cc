#include "ops/draws.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "compat/device.h"

namespace mgdm::ops {
namespace {

at::Tensor integers(const std::vector<std::int64_t>& values) {
  return at::tensor(at::ArrayRef<std::int64_t>(values), at::kLong);
}

at::Tensor step_tensor(std::int64_t step) { return at::full({}, step, at::kLong); }

const std::vector<std::int64_t> kItems{0, 1, 7, 65536, 0x7FFFFFFF, 0x80000001, 0xFFFFFFFF};

TEST(Draws, AreThoseOfTheStreamBitForBit) {
  for (const std::uint64_t seed : {0ull, 1ull, 0x80000000ull, 0xFEDCBA9876543210ull})
    for (const std::int64_t step : {0ll, 3ll, 0xFFFFFFFFll})
      for (const std::int64_t columns : {1, 4, 7, 164}) {
        const at::Tensor u =
            uniform(seed, Purpose::kMask, integers(kItems), step_tensor(step), columns);
        ASSERT_EQ(u.scalar_type(), at::kFloat);
        const auto drawn = u.accessor<float, 2>();
        for (std::size_t b = 0; b < kItems.size(); ++b) {
          Stream random(seed, Purpose::kMask, static_cast<std::uint32_t>(kItems[b]),
                        static_cast<std::uint32_t>(step));
          const auto row = static_cast<std::int64_t>(b);
          for (std::int64_t n = 0; n < columns; ++n) {
            ASSERT_EQ(drawn[row][n], random.uniform())
                << seed << " " << step << " " << b << " " << n;
          }
        }
      }
}

TEST(Draws, DoNotDependOnTheBatch) {
  const at::Tensor alone = uniform(5, Purpose::kTest, integers({42}), step_tensor(9), 33);
  const at::Tensor among = uniform(5, Purpose::kTest, integers({3, 8, 42, 1}), step_tensor(9), 50);
  EXPECT_TRUE(alone[0].equal(among[2].slice(0, 0, 33)));
}

TEST(Draws, ManyRowsAreSharedAmongThreads) {
  std::vector<std::int64_t> items(3000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::int64_t>(17 * i);
  const at::Tensor u = uniform(1, Purpose::kTest, integers(items), step_tensor(2), 30);
  EXPECT_TRUE(
      u[2999].equal(uniform(1, Purpose::kTest, integers({items.back()}), step_tensor(2), 30)[0]));
  // 90,000 numbers of variance 1/12: the mean is within 5 standard errors of 1/2.
  EXPECT_NEAR(u.mean().item<double>(), 0.5, 5 * 0.2887 / 300);
}

// From the stream's numbers, by the formula; and of the mean, variance and tails of normal numbers.
TEST(Draws, NormalOnesAreThoseOfBoxAndMuller) {
  for (const std::int64_t columns : {7, 8}) {
    const at::Tensor drawn = normal(5, Purpose::kTest, integers({42}), step_tensor(9), columns);
    ASSERT_EQ(drawn.size(1), columns);
    Stream random(5, Purpose::kTest, 42, 9);
    double u[8];
    for (double& each : u) each = static_cast<double>(random.uniform());
    for (int i = 0; i < columns; ++i) {
      const double radius = std::sqrt(-2 * std::log(1 - u[i % 4]));
      const double angle = 2 * std::numbers::pi * u[4 + i % 4];
      EXPECT_NEAR(drawn[0][i].item<double>(), radius * (i < 4 ? std::cos(angle) : std::sin(angle)),
                  1e-5);
    }
  }
  const at::Tensor many = normal(1, Purpose::kTest, integers({1, 2, 3, 4}), step_tensor(0), 25000);
  // 100,000 numbers: within 5 standard errors, of which those of squares are sqrt(2) times as
  // large.
  EXPECT_NEAR(many.mean().item<double>(), 0, 5 / 316.0);
  EXPECT_NEAR(many.square().mean().item<double>(), 1, 5 * 1.415 / 316);
  EXPECT_NEAR((many.abs() > 1.96).to(at::kDouble).mean().item<double>(), 0.05, 5 * 0.218 / 316);
}

TEST(Draws, PurposesAndStepsDiffer) {
  const at::Tensor items = integers({1});
  const at::Tensor u = uniform(1, Purpose::kMask, items, step_tensor(0), 8);
  EXPECT_FALSE(u.equal(uniform(1, Purpose::kNoise, items, step_tensor(0), 8)));
  EXPECT_FALSE(u.equal(uniform(1, Purpose::kMask, items, step_tensor(1), 8)));
  EXPECT_FALSE(u.equal(uniform(2, Purpose::kMask, items, step_tensor(0), 8)));
}

TEST(Draws, AreTheSameOnEveryDevice) {
  if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
  const c10::Device cuda = compat::device("cuda");
  const at::Tensor items = integers(kItems), step = step_tensor(4);
  for (const std::int64_t columns : {1, 6, 164, 1001})
    EXPECT_TRUE(uniform(0xFEDCBA9876543210, Purpose::kMask, items.to(cuda), step.to(cuda), columns)
                    .cpu()
                    .equal(uniform(0xFEDCBA9876543210, Purpose::kMask, items, step, columns)));
}

}  // namespace
}  // namespace mgdm::ops
