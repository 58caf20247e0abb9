#include "distributed/rendezvous.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "base/error.h"

namespace mgdm::distributed {
namespace {

using namespace std::chrono_literals;

// What each process says when these meet in one store.
std::vector<std::string> complaints(const std::vector<Place>& places) {
  const SharedStore store = c10::make_intrusive<c10d::HashStore>();
  const int size = static_cast<int>(places.size());
  std::vector<std::future<std::string>> all;
  for (int rank = 0; rank < size; ++rank)
    all.push_back(std::async(std::launch::async, [&, rank]() -> std::string {
      try {
        meet(store, rank, size, places[static_cast<std::size_t>(rank)], 30s);
        return "";
      } catch (const Error& error) {
        return error.what();
      }
    }));
  std::vector<std::string> said;
  for (auto& one : all) said.push_back(one.get());
  return said;
}

TEST(Rendezvous, WaitsForAll) {
  EXPECT_EQ(complaints({{"a", "x"}, {"b", "x"}, {"c", "x"}}), std::vector<std::string>(3));
  EXPECT_EQ(complaints({{"", "cpu"}, {"", "cpu"}}), std::vector<std::string>(2));
}

TEST(Rendezvous, ASharedGpuIsRefusedByAll) {
  const std::vector<std::string> said =
      complaints({{"a", "cuda:0 on h"}, {"b", "cuda:1 on h"}, {"a", "cuda:0 on h"}});
  for (const std::string& one : said) {
    EXPECT_NE(one.find("ranks 0 and 2 both have the GPU cuda:0 on h"), std::string::npos) << one;
    EXPECT_NE(one.find("training.device=cpu, or fewer processes"), std::string::npos) << one;
  }
}

TEST(Rendezvous, NamesThoseWhoDidNotCome) {
  const SharedStore store = c10::make_intrusive<c10d::HashStore>();
  try {
    meet(store, 1, 4, {}, 100ms);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rank 1 of 4 waited 0.1 s for ranks 0, 2, 3"),
              std::string::npos)
        << error.what();
  }
}

TEST(Rendezvous, TheFirstLeavesAfterTheOthersOrAfterAWhile) {
  const SharedStore store = c10::make_intrusive<c10d::HashStore>();
  const auto seconds = [](const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  EXPECT_GE(seconds([&] { part(store, 0, 2, 200ms); }), 0.2);
  EXPECT_LT(seconds([&] { part(store, 1, 2, 20s); }), 10);
  EXPECT_LT(seconds([&] { part(store, 0, 2, 20s); }), 10);
}

}  // namespace
}  // namespace mgdm::distributed
