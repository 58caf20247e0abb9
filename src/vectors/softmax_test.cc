#include "vectors/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "vectors/test_support.h"

namespace mgdm::vectors {
namespace {

TEST(Softmax, IsThatOfPlainLoopsAndSeesNothingLater) {
  on_every_target([] {
    for (const std::size_t columns : {5u, 16u, 37u, 64u})
      for (const bool causal : {false, true}) {
        constexpr std::size_t kRows = 4;
        const std::size_t stride = (columns + 15) / 16 * 16;
        const std::size_t first_sees = causal ? columns - kRows + 1 : columns;
        Floats scores = random_numbers(kRows * stride, 1, 20);
        for (std::size_t i = 0; i < kRows; ++i)  // what is not seen may be anything
          for (std::size_t j = first_sees + (causal ? i : 0); j < stride; ++j)
            scores[i * stride + j] = std::numeric_limits<float>::quiet_NaN();
        const Floats before = scores;
        softmax({scores.data(), stride}, kRows, columns, 0.5f, first_sees, causal);
        for (std::size_t i = 0; i < kRows; ++i) {
          const std::size_t seen = first_sees + (causal ? i : 0);
          double total = 0;
          for (std::size_t j = 0; j < seen; ++j)
            total += std::exp(0.5 * static_cast<double>(before[i * stride + j]));
          for (std::size_t j = 0; j < columns; ++j)
            ASSERT_NEAR(scores[i * stride + j],
                        j < seen
                            ? std::exp(0.5 * static_cast<double>(before[i * stride + j])) / total
                            : 0.0,
                        1e-6);
        }
      }
  });
}

// Training must notice what has become no number.
TEST(Softmax, KeepsWhatIsNoNumber) {
  on_every_target([] {
    for (const std::size_t place : {0u, 7u, 36u}) {
      Floats scores = random_numbers(48, 1, 20);
      scores[place] = std::numeric_limits<float>::quiet_NaN();
      softmax({scores.data(), 48}, 1, 37, 1, 37, false);
      for (std::size_t j = 0; j < 37; ++j) ASSERT_TRUE(std::isnan(scores[j])) << j;
    }
  });
}

}  // namespace
}  // namespace mgdm::vectors
