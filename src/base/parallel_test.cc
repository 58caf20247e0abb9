#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>

namespace mgdm {
namespace {

TEST(ForChunks, ResultsArriveInOrderWhateverTheThreads) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::size_t> seen;
    for_chunks<std::vector<std::size_t>>(
        1003, 10, threads,
        [](std::size_t begin, std::size_t end) {
          if (begin % 30 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
          std::vector<std::size_t> items(end - begin);
          std::iota(items.begin(), items.end(), begin);
          return items;
        },
        [&](std::vector<std::size_t>&& items) {
          seen.insert(seen.end(), items.begin(), items.end());
        });
    ASSERT_EQ(seen.size(), 1003u);
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], i);
  }
}

TEST(ForChunks, NothingToDo) {
  for_chunks<int>(
      0, 10, 2, [](auto, auto) -> int { throw Error("called"); }, [](int) { FAIL() << "called"; });
}

TEST(ForChunks, AnExceptionOfEitherSideStopsTheWork) {
  const auto produce = [](std::size_t begin, std::size_t) {
    if (begin >= 50) throw Error("bad chunk");
    return begin;
  };
  EXPECT_THROW(for_chunks<std::size_t>(1000, 10, 4, produce, [](std::size_t) {}), Error);
  EXPECT_THROW(for_chunks<std::size_t>(
                   1000, 10, 4, [](std::size_t begin, std::size_t) { return begin; },
                   [](std::size_t) { throw Error("disk full"); }),
               Error);
}

TEST(OrderedWork, StaysBoundedAheadOfTheReader) {
  std::atomic<std::size_t> produced = 0;
  OrderedWork<std::size_t> work(1000, 2, [&](std::size_t i) {
    ++produced;
    return i;
  });
  EXPECT_EQ(work.next(), 0u);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(produced, 1u + 4u);  // two per thread ahead of the one taken
  EXPECT_EQ(work.next(), 1u);
}  // and the destructor ends the threads although 998 results were never asked for

}  // namespace
}  // namespace mgdm
