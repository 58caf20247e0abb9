#include "decoding/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"

namespace mgdm::decoding {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(LogProbs, SpecialTokensAreNoAnswers) {
  std::vector<float> values{1, 50, 60, 2, 70, 3, 0};  // [SEP], [MASK] and [UNK] are likeliest
  answer_log_probs(values);
  const double sum = std::exp(1.0) + std::exp(2.0) + std::exp(3.0) + std::exp(0.0);
  const std::vector<double> expected{1, -kInfinity, -kInfinity, 2, -kInfinity, 3, 0};
  for (std::size_t v = 0; v < values.size(); ++v) {
    EXPECT_EQ(std::isinf(values[v]), !is_answer(v));
    if (is_answer(v)) {
      EXPECT_NEAR(values[v], expected[v] - std::log(sum), 1e-6);
    }
  }
  EXPECT_EQ(likeliest(values), 5u);
}

TEST(LogProbs, LargeLogitsDoNotOverflow) {
  std::vector<float> values{1000, 999, -kInfinity};
  log_softmax(values);
  EXPECT_NEAR(values[0], -std::log(1 + std::exp(-1.0)), 1e-6);
  EXPECT_EQ(values[2], -kInfinity);
}

TEST(LogProbs, WhatIsNoNumberIsAnError) {
  for (const float wrong : {std::nanf(""), kInfinity}) {
    std::vector<float> values{1, wrong, 2};
    EXPECT_THROW(log_softmax(values), Error);
  }
  std::vector<float> nothing{-kInfinity, -kInfinity};
  EXPECT_THROW(log_softmax(nothing), Error);
}

TEST(LogProbs, TheFirstOfEqualsIsTheLikeliest) {
  EXPECT_EQ(likeliest(std::vector<float>{0, 2, 1, 2}), 1u);
}

}  // namespace
}  // namespace mgdm::decoding
