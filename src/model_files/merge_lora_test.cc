#include "model_files/merge_lora.h"

#include <gtest/gtest.h>

#include <vector>

namespace mgdm::model_files {
namespace {

// W + scale B A for W (3, 2), B (3, 2), A (2, 2): numbers that floats hold exactly.
TEST(MergeLora, AddsTheScaledProduct) {
  const std::vector<float> a{1, 2, 3, 4}, b{1, 0, 2, 1, -1, 3};
  std::vector<float> w{10, 20, 30, 40, 50, 60};
  merge_lora(w, a, b, /*rank=*/2, /*scale=*/0.5f);
  EXPECT_EQ(w, (std::vector<float>{10.5f, 21, 32.5f, 44, 54, 65}));
}

}  // namespace
}  // namespace mgdm::model_files
