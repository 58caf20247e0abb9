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
  Quicker doubtful(1e-6f);
  EXPECT_FALSE(doubtful.second({1, 2, 3}, true, nullptr, much, little));
  // A known winner is not tried again.
  EXPECT_TRUE(quicker.second({1, 2, 3}, false, nullptr, little, much));
}

// While a graph is recorded nothing may be tried: it would be recorded, and events cannot be waited
// for. Nor is it remembered that it was not.
TEST(Quicker, TriesNothingWhileAGraphIsRecorded) {
  if (!compat::cuda_available()) GTEST_SKIP() << "no CUDA device";
  const at::Tensor large = numbers({1 << 26}), small = numbers({16});
  int runs = 0;
  const auto much = [&] {
    ++runs;
    large.fill_(1);
  };
  const auto little = [&] {
    ++runs;
    small.fill_(1);
  };
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  Quicker quicker;
  const bool while_recorded = quicker.second({1, 2, 3}, /*may_try=*/true, stream, much, little);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_FALSE(while_recorded);
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_TRUE(quicker.second({1, 2, 3}, true, nullptr, much, little));
  EXPECT_GT(runs, 0);
}

}  // namespace
}  // namespace mgdm::ops::cuda

#endif
