#include "distributed/rendezvous.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

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

TEST(Rendezvous, AProcessWithoutAGpuHidesNoSharedOne) {
  for (const std::string& one : complaints({{"", "cpu"}, {"a", "cuda:0"}, {"a", "cuda:0"}}))
    EXPECT_NE(one.find("ranks 1 and 2 both have the GPU cuda:0"), std::string::npos) << one;
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

// A socket of this machine, listening or connected to a port.
class Socket {
 public:
  explicit Socket(std::uint16_t port = 0) {
    address_.sin_family = AF_INET;
    address_.sin_port = htons(port);
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const generic = reinterpret_cast<sockaddr*>(&address_);
    socklen_t size = sizeof address_;
    const bool good = port > 0 ? ::connect(number, generic, size) == 0
                               : ::bind(number, generic, size) == 0 && ::listen(number, 1) == 0 &&
                                     ::getsockname(number, generic, &size) == 0;
    EXPECT_TRUE(good);
  }
  ~Socket() { ::close(number); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  std::uint16_t port() const { return ntohs(address_.sin_port); }

  const int number = ::socket(AF_INET, SOCK_STREAM, 0);

 private:
  sockaddr_in address_{};
};

TEST(Rendezvous, AtALoopbackAddressOtherMachinesAreNotHeard) {
  for (const char* const host : {"127.0.0.1", "localhost", "::1"}) EXPECT_TRUE(is_loopback(host));
  for (const char* const host : {"10.0.0.1", "node1", "::"}) EXPECT_FALSE(is_loopback(host));
  const Socket listener;
  ASSERT_TRUE(protect_store(listener.port(), /*this_machine_only=*/true));
  char device[16] = "";
  socklen_t size = sizeof device;
  ASSERT_EQ(::getsockopt(listener.number, SOL_SOCKET, SO_BINDTODEVICE, device, &size), 0);
  EXPECT_STREQ(device, "lo");
  const Socket client(listener.port());
  EXPECT_FALSE(protect_store(1, /*this_machine_only=*/false));  // nothing listens there
}

TEST(Rendezvous, KnowsTheAddressThatAnotherMachineReaches) {
  EXPECT_EQ(own_address("127.0.0.1"), "127.0.0.1");
  EXPECT_TRUE(is_loopback(own_address("localhost")));
  EXPECT_EQ(own_address("no such host"), "");
}

TEST(Rendezvous, AClientThatStopsWithinAMessageIsDropped) {
  c10d::TCPStoreOptions options;
  options.port = 0;  // a free one
  options.isServer = true;
  options.waitWorkers = false;
  const auto store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
  ASSERT_TRUE(protect_store(store->getPort(), /*this_machine_only=*/false));
  auto stranger = std::make_unique<Socket>(store->getPort());
  const char junk[9] = {0, 100};  // to LibTorch 1.13: set a key of 100 letters
  ASSERT_EQ(::send(stranger->number, junk, sizeof junk, 0), 9);
  std::this_thread::sleep_for(200ms);
  auto answer = std::async(std::launch::async, [&] { return store->add("count", 1); });
  EXPECT_EQ(answer.wait_for(60s), std::future_status::ready);
  stranger.reset();  // lets a store that waits go on
  EXPECT_EQ(answer.get(), 1);
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
