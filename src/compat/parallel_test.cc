#include "compat/parallel.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/cores.h"

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
  if (use_threads(0) < 2) GTEST_SKIP() << "one thread";
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(0, 64, 1, [&](std::int64_t, std::int64_t) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_GT(threads.size(), 1u);
}

TEST(UseThreads, AsAskedOrAsTheEnvironmentSaysOrAllCores) {
  const char* const before = std::getenv("OMP_NUM_THREADS");
  const std::string kept = before == nullptr ? "" : before;
  EXPECT_EQ(use_threads(3), 3);
  EXPECT_EQ(at::get_num_threads(), 3);
  ::setenv("OMP_NUM_THREADS", "5,2", 1);
  EXPECT_EQ(use_threads(0), 5);
  EXPECT_EQ(use_threads(2), 2);
  ::setenv("OMP_NUM_THREADS", "many", 1);
  EXPECT_EQ(use_threads(0), usable_cores());
  ::unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(use_threads(0), usable_cores());
  EXPECT_EQ(at::get_num_threads(), usable_cores());
  if (before != nullptr) ::setenv("OMP_NUM_THREADS", kept.c_str(), 1);
}

}  // namespace
}  // namespace mgdm::compat
