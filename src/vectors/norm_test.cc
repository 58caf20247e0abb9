#include "vectors/norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vectors/test_support.h"

namespace mgdm::vectors {
namespace {

TEST(Norm, IsThatOfPlainLoops) {
  on_every_target([] {
    for (const std::size_t width : {1u, 3u, 16u, 24u, 33u, 64u}) {
      constexpr std::size_t kRows = 3;
      const Floats x = random_numbers(kRows * width, 1, 2),
                   weight = random_numbers(width + 16, 2, 1),
                   bias = random_numbers(width + 16, 3, 1);
      Floats rms = x, layer(x.size());
      rms_norm({rms.data(), width}, kRows, width, 1e-6f, {rms.data(), width});
      layer_norm({x.data(), width}, kRows, width, 1e-5f, weight.data(), bias.data(),
                 {layer.data(), width});
      for (std::size_t i = 0; i < kRows; ++i) {
        const auto n = static_cast<double>(width);
        double squares = 0, mean = 0, variance = 0;
        for (std::size_t j = 0; j < width; ++j) {
          const double value = static_cast<double>(x[i * width + j]);
          squares += value * value / n;
          mean += value / n;
        }
        for (std::size_t j = 0; j < width; ++j)
          variance += std::pow(static_cast<double>(x[i * width + j]) - mean, 2) / n;
        for (std::size_t j = 0; j < width; ++j) {
          const double value = static_cast<double>(x[i * width + j]);
          ASSERT_NEAR(rms[i * width + j], value / std::sqrt(squares + 1e-6), 1e-5);
          ASSERT_NEAR(layer[i * width + j],
                      (value - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(weight[j]) +
                          static_cast<double>(bias[j]),
                      1e-5);
        }
      }
    }
  });
}

}  // namespace
}  // namespace mgdm::vectors
