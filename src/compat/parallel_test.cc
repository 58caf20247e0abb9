#include "compat/parallel.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
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

// A build without OpenMP is right but slow, and says nothing.
TEST(ParallelFor, SharesAmongThreads) {
  if (at::get_num_threads() < 2) GTEST_SKIP() << "one thread";
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(0, 64, 1, [&](std::int64_t, std::int64_t) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_GT(threads.size(), 1u);
}

}  // namespace
}  // namespace mgdm::compat
