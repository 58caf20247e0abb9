#include "distributed/peer_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>

namespace mgdm::distributed {
namespace {

using namespace std::chrono_literals;

TEST(PeerWatch, LetsTheLivingBe) {
  std::atomic<long> own = 0, other = 0;
  {
    const PeerWatch watch(
        0, 2, [&](int rank, int n) { return rank == 0 ? own += n : ++other; }, 20ms);
    while (own < 3 * PeerWatch::kPatience) std::this_thread::sleep_for(1ms);
  }
  EXPECT_GE(other, 3 * PeerWatch::kPatience - 1);
}

TEST(PeerWatchDeathTest, EndsTheProcessWhenOneStandsStill) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // A longer beat than the others': on a busy machine the thread that looks may wait for a core so
  // long that the guard takes the first process for lost.
  const auto wait_with_a_dead_peer = [] {
    long beats = 0;
    const PeerWatch watch(
        1, 3, [&](int rank, int) { return rank == 2 ? 7 : ++beats; }, 50ms);
    std::this_thread::sleep_for(10s);
  };
  EXPECT_EXIT(wait_with_a_dead_peer(), testing::ExitedWithCode(1), "rank 1 lost rank 2");
  const auto wait_without_a_store = [] {
    const PeerWatch watch(
        1, 2, [](int, int) -> long { throw std::runtime_error("gone"); }, 1ms);
    std::this_thread::sleep_for(10s);
  };
  EXPECT_EXIT(wait_without_a_store(), testing::ExitedWithCode(1), "rank 1 lost rank 0");
  const auto wait_for_an_answer = [] {
    const PeerWatch watch(
        1, 2,
        [](int, int) -> long {
          std::this_thread::sleep_for(1h);
          return 0;
        },
        1ms);
    std::this_thread::sleep_for(10s);
  };
  EXPECT_EXIT(wait_for_an_answer(), testing::ExitedWithCode(1), "rank 1 lost rank 0");
}

TEST(PeerWatch, EndsWhileALookHangs) {
  const auto asked = std::make_shared<std::promise<void>>();
  const auto start = std::chrono::steady_clock::now();
  {
    const PeerWatch watch(
        1, 2,
        [asked](int, int) -> long {
          asked->set_value();
          std::this_thread::sleep_for(1h);
          return 0;
        },
        1s);
    asked->get_future().wait();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1min);
}

TEST(PeerWatch, LeavesTheLastWordToWhoeverNoticedFirst) {
  std::atomic<bool> asked = false;
  PeerWatch watch(
      1, 2,
      [&](int, int) -> long {
        asked = true;
        throw std::runtime_error("gone");
      },
      100ms);
  while (!asked) std::this_thread::sleep_for(1ms);
}  // stopped within the five beats of grace: this test goes on

}  // namespace
}  // namespace mgdm::distributed
