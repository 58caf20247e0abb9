// Trying which way is quicker. It runs where there is a GPU.
#ifdef MGDM_CUDA

#include "ops/cuda/quicker.h"

#include <gtest/gtest.h>

#include "compat/device.h"
#include "ops/cuda/test_support.h"

namespace mgdm::ops::cuda {
namespace {

TEST(Quicker, IsTheOneThatDoesLess) {
  if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
  const at::Tensor large = numbers({1 << 26}), small = numbers({16});
  const auto much = [&] {
    for (int i = 0; i < 4; ++i) large.fill_(i);
  };
  const auto little = [&] { small.fill_(1); };
  Quicker quicker;
  EXPECT_FALSE(quicker.second({1, 2, 3}, /*may_try=*/false, nullptr, much, little));
  EXPECT_TRUE(quicker.second({1, 2, 3}, true, nullptr, much, little));
  EXPECT_FALSE(quicker.second({1, 2, 4}, true, nullptr, little, much));
  // What is known is not tried again.
  EXPECT_TRUE(quicker.second({1, 2, 3}, false, nullptr, little, much));
}

}  // namespace
}  // namespace mgdm::ops::cuda

#endif
