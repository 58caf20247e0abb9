// Gradients of weights summed up over several uses, number by number against double. They run where
// there is a Hopper GPU.
#ifdef MGDM_CUDA

#include "ops/cuda/hopper/weight_gradients.h"

#include <ATen/ops/matmul.h>

#include <cmath>
#include <vector>

#include "compat/device.h"
#include "ops/cuda/test_support.h"

namespace mgdm::ops::cuda {
namespace {

class SummedGradients : public testing::Test {
 protected:
  void SetUp() override {
    if (!compat::cuda_available() || !weight_gradients_take(384, 192))
      GTEST_SKIP() << "no Hopper GPU";
    compat::seed_dropout(7);
  }
};

// Both tiles; rows that end within a step; one use, some and all that are possible; sums that begin
// with numbers as large as what is added; more tiles than pairs of blocks.
TEST_F(SummedGradients, AreTheSumOfTheirProducts) {
  for (const auto& [rows, outputs, inputs, uses] : {std::tuple{1, 384, 192, 1},
                                                    {63, 768, 384, 2},
                                                    {65, 256, 256, 3},
                                                    {1000, 1152, 384, 8},
                                                    {1000, 768, 512, 4},
                                                    {30001, 384, 1536, 2},
                                                    {30001, 1024, 256, 4},
                                                    {200, 2304, 3072, 2}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << outputs << " x " << inputs << ", " << uses);
    ASSERT_TRUE(weight_gradients_take(outputs, inputs));
    const at::Tensor sum = std::sqrt(rows) * numbers({outputs, inputs});
    at::Tensor want = sum.to(at::kDouble), size = want.abs();
    std::vector<at::Tensor> kept;
    WeightGradients arguments{.rows = rows,
                              .outputs = outputs,
                              .inputs = inputs,
                              .uses = uses,
                              .dy = {},
                              .x = {},
                              .sum = sum.data_ptr<float>()};
    for (int i = 0; i < uses; ++i) {
      const at::Tensor dy = numbers({rows, outputs}, at::kBFloat16),
                       x = numbers({rows, inputs}, at::kBFloat16);
      const at::Tensor dy2 = dy.to(at::kDouble), x2 = x.to(at::kDouble);
      want = want + dy2.t().matmul(x2);
      size = size + dy2.abs().t().matmul(x2.abs());
      arguments.dy[i] = dy.const_data_ptr();
      arguments.x[i] = x.const_data_ptr();
      kept.insert(kept.end(), {dy, x});
    }
    launch_weight_gradients(arguments, nullptr);
    // A part sums up its steps of 64 rows one after the other; then there are at most 66 parts.
    const double additions = 66 + static_cast<double>(rows) * uses;
    expect_within(sum, want, additions * kFloat * size, "sum");
  }
}

TEST_F(SummedGradients, AreForWholeTiles) {
  EXPECT_TRUE(weight_gradients_take(1152, 384));
  EXPECT_TRUE(weight_gradients_take(256, 1024));
  EXPECT_FALSE(weight_gradients_take(192, 192));  // a tile has two blocks
  EXPECT_FALSE(weight_gradients_take(384, 128));
  EXPECT_FALSE(weight_gradients_take(512, 384));
}

}  // namespace
}  // namespace mgdm::ops::cuda

#endif
