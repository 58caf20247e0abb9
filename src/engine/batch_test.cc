#include "engine/batch.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace mgdm::engine {
namespace {

// Try 2 draws from steps 2 * 65536, 2 * 65536 + 1, ... of the same seed.
TEST(Batch, EveryTryHasDrawsOfItsOwn) {
  const Batch batch{
      {at::zeros({6, 4}, at::kLong), at::zeros({6, 4}, at::kBool), at::arange(6, at::kLong)},
      /*attempt=*/2};
  const at::Tensor drawn = draws(batch, /*seed=*/1, /*pass=*/3, /*columns=*/4);
  Stream random(1, Purpose::kDecode, 5, 2 * 65536 + 3);
  for (std::int64_t n = 0; n < 4; ++n) EXPECT_EQ(drawn[5][n].item<float>(), random.uniform());
}

}  // namespace
}  // namespace mgdm::engine
