#include "ops/seen_positions.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

namespace mgdm::ops {
namespace {

TEST(SeenPositions, AreAllThatWereAdded) {
  const at::Tensor all = at::randn({2, 3, 40, 8});
  SeenPositions seen;
  std::int64_t begin = 0;
  for (const std::int64_t count : {5, 1, 1, 1, 20, 1, 11}) {
    const at::Tensor known = seen.with(all.narrow(2, begin, count));
    begin += count;
    EXPECT_EQ(seen.count(), begin);
    EXPECT_TRUE(at::equal(known, all.narrow(2, 0, begin))) << begin;
  }
}

TEST(SeenPositions, GoOnWithSomeOfTheRows) {
  const at::Tensor all = at::randn({3, 2, 12, 4});
  SeenPositions seen;
  seen.with(all.narrow(2, 0, 11));
  SeenPositions some = seen.of_rows(at::tensor({2, 0}, at::kLong));
  const at::Tensor two = all.index_select(0, at::tensor({2, 0}, at::kLong));
  EXPECT_TRUE(at::equal(some.with(two.narrow(2, 11, 1)), two));
  EXPECT_EQ(seen.count(), 11);
}

// Copying all of them for every one that comes would take a time that grows with the square.
TEST(SeenPositions, AreSeldomCopied) {
  SeenPositions seen;
  const at::Tensor one = at::randn({1, 2, 1, 4});
  const void* place = seen.with(one).data_ptr();
  int copies = 0;
  for (int i = 1; i < 4096; ++i)
    if (const void* now = seen.with(one).data_ptr(); now != place) {
      place = now;
      ++copies;
    }
  EXPECT_LT(copies, 45);  // log 4096 / log 1.25 is 37, and the first few come one by one
}

TEST(SeenPositions, HaveNoGradients) {
  SeenPositions seen;
  const at::Tensor now = at::randn({1, 1, 2, 4}).requires_grad_();
  seen.with(now);
  EXPECT_FALSE(seen.with(now).requires_grad());
}

}  // namespace
}  // namespace mgdm::ops
