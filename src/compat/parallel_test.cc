#include "compat/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace mgdm::compat {
namespace {

TEST(ParallelFor, VisitsEveryNumberOnce) {
  std::vector<std::atomic<int>> visits(1000);
  parallel_for(10, 990, 7, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) ++visits[static_cast<std::size_t>(i)];
  });
  for (std::size_t i = 0; i < visits.size(); ++i) EXPECT_EQ(visits[i], i >= 10 && i < 990) << i;
}

}  // namespace
}  // namespace mgdm::compat
