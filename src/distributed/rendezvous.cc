#include "distributed/rendezvous.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <thread>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/paths.h"
#include "base/text.h"
#include "distributed/process_group.h"

namespace mgdm::distributed {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

std::string key(const char* word, int rank) { return fmt::format("{}/{}", word, rank); }

void say(c10d::Store& store, const std::string& key, const std::string& text) {
  store.set(key, std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::string heard(c10d::Store& store, const std::string& key) {
  const std::vector<std::uint8_t> bytes = store.get(key);
  return {bytes.begin(), bytes.end()};
}

bool all_said(c10d::Store& store, const char* word, int size, Clock::time_point end) {
  std::vector<std::string> keys;
  for (int rank = 0; rank < size; ++rank) keys.push_back(key(word, rank));
  while (!store.check(keys)) {
    if (Clock::now() > end) return false;
    stop_if_interrupted();
    std::this_thread::sleep_for(50ms);
  }
  return true;
}

// The store goes with the first process, so it leaves last: the others have the same to say.
[[noreturn]] void leave(int rank, const Error& error) {
  if (rank == 0) std::this_thread::sleep_for(1s);
  throw error;
}

void meet_in(c10d::Store& store, int rank, int size, const Place& place,
             std::chrono::milliseconds limit) {
  say(store, key("here", rank), place.id + '\n' + place.words);
  if (!all_said(store, "here", size, Clock::now() + limit)) {
    std::string absent;
    int count = 0;
    for (int peer = 0; peer < size; ++peer)
      if (!store.check({key("here", peer)}))
        absent += fmt::format("{}{}", count++ == 0 ? "" : ", ", peer);
    leave(rank, Error(fmt::format("rank {} of {} waited {} s for rank{} {}", rank, size,
                                  std::chrono::duration<double>(limit).count(),
                                  count == 1 ? "" : "s", absent),
                      fmt::format("all {} processes, started at about the same time", size),
                      "see their output; mgdm launch starts all of one machine, srun all of a "
                      "Slurm job; MGDM_RENDEZVOUS_SECONDS=N waits longer"));
  }
  std::map<std::string, int> taken;
  for (int peer = 0; peer < size; ++peer) {
    const std::string there = heard(store, key("here", peer));
    const auto cut = there.find('\n');
    if (cut == 0) continue;
    const auto [first, is_new] = taken.emplace(there.substr(0, cut), peer);
    if (is_new) continue;
    leave(rank, Error(fmt::format("ranks {} and {} both have the GPU {}", first->second, peer,
                                  there.substr(cut + 1)),
                      "a GPU for each process", "training.device=cpu, or fewer processes"));
  }
}

}  // namespace

void meet(const SharedStore& store, int rank, int size, const Place& place,
          std::chrono::milliseconds limit) {
  const auto work = [=] {
    meet_in(*store, rank, size, place, limit);
    return true;
  };
  if (!within(limit + 5s, work))
    throw Error(fmt::format("rank {} of {} gets no answer from rank 0", rank, size),
                "a first process that runs", "see its last output");
}

void part(const SharedStore& store, int rank, int size, std::chrono::milliseconds limit) {
  const auto work = [=] {
    say(*store, key("bye", rank), "");
    return rank > 0 || all_said(*store, "bye", size, Clock::now() + limit);
  };
  within(limit + 1s, work);
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string own_address(const std::string& host) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_DGRAM;
  if (::getaddrinfo(host.c_str(), "9", &hints, &found) != 0) return "";
  std::string own;
  for (const addrinfo* each = found; each != nullptr && own.empty(); each = each->ai_next) {
    // Connecting a datagram socket sends nothing; it only looks up the route.
    const int socket = ::socket(each->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    char text[NI_MAXHOST] = "";
    if (::connect(socket, each->ai_addr, each->ai_addrlen) == 0 &&
        ::getsockname(socket, generic, &size) == 0 &&
        ::getnameinfo(generic, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0)
      own = text;
    ::close(socket);
  }
  ::freeaddrinfo(found);
  return own;
}

bool protect_store(std::uint16_t port, bool this_machine_only) {
  constexpr timeval kPatience{.tv_sec = 3, .tv_usec = 0};  // of the sockets accepted from it
  constexpr char kLoopback[] = "lo";
  for (const std::filesystem::path& path : files_in("/proc/self/fd")) {
    const int socket = static_cast<int>(parse_int(path.filename().string()).value_or(-1));
    int listens = 0;
    sockaddr_in6 address{};  // the port of IPv4 stands at the same place
    socklen_t size = sizeof listens, length = sizeof address;
    if (::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0 &&
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0 &&
        ntohs(address.sin6_port) == port)
      return ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience) == 0 &&
             (!this_machine_only ||
              ::setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, kLoopback, sizeof kLoopback) == 0);
  }
  return false;
}

}  // namespace mgdm::distributed
