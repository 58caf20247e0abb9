#include "distributed/process_group.h"

#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <vector>

#include "base/error.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "compat/c10d.h"
#include "compat/device.h"
#include "distributed/peer_watch.h"
#include "distributed/rendezvous.h"

// The build sets USE_C10D_GLOO and USE_C10D_NCCL where it finds their headers: cmake/torch.cmake.
#ifdef USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace mgdm::distributed {
namespace {

using namespace std::chrono_literals;

// After they have met, a process may wait as long as the first one evaluates or saves; the dead are
// noticed by their closed connections and by the watch.
constexpr std::chrono::milliseconds kForEver = 240h;
constexpr std::chrono::milliseconds kGoodbye = 10s;

int number_from(const char* name, std::int64_t low, std::int64_t high) {
  const char* const text = std::getenv(name);
  const auto value = text == nullptr ? std::nullopt : parse_int(text);
  if (!value || *value < low || *value > high)
    throw Error(text == nullptr ? fmt::format("WORLD_SIZE is set, but {} is not", name)
                                : fmt::format("{}={}", name, in_quotes(text)),
                fmt::format("{}, a number from {} to {}", name, low, high),
                "mgdm launch sets all of RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT");
  return static_cast<int>(*value);
}

struct Ranks {
  int rank = 0;
  int size = 0;  // 0: alone
};

// One process has nobody to talk to. Only NCCL, which most machines could not try otherwise, is
// started for it, where it is told where to meet.
Ranks ranks_from_environment(c10::Device device) {
  if (std::getenv("WORLD_SIZE") == nullptr) return {};
  const int size = number_from("WORLD_SIZE", 1, 65536);
  if (size == 1 && (device.is_cpu() || std::getenv("MASTER_PORT") == nullptr)) return {};
  return {number_from("RANK", 0, size - 1), size};
}

}  // namespace

using compat::Backend;

struct ProcessGroup::State {
  SharedStore store;
  c10::intrusive_ptr<Backend> backend;
  std::unique_ptr<PeerWatch> watch;  // by a connection of its own: requests block each other
  bool finished = false;
};

namespace {

struct Meeting {
  std::string host;
  std::uint16_t port = 0;
  std::chrono::seconds limit{60};  // to find each other
};

Meeting meeting_from_environment() {
  const char* const host = std::getenv("MASTER_ADDR");
  Meeting meeting{host == nullptr ? "127.0.0.1" : host,
                  static_cast<std::uint16_t>(number_from("MASTER_PORT", 1, 65535))};
  if (std::getenv("MGDM_RENDEZVOUS_SECONDS") != nullptr)
    meeting.limit = std::chrono::seconds(number_from("MGDM_RENDEZVOUS_SECONDS", 1, 86400));
  return meeting;
}

// torchrun keeps the store itself and over restarts: we only visit it, and every restart has keys
// of its own.
bool torchrun_keeps_the_store() {
  const char* const text = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  return text != nullptr && std::string_view(text) == "True";
}

// The store of a group. The first process keeps serving it until it ends: others may still be
// leaving when its group is over, and the next group of these processes (train --seeds) meets in
// the same store, with keys of its own.
SharedStore connect(const Meeting& meeting, int group, bool serve) {
  static auto* const served =
      new c10::intrusive_ptr<c10d::TCPStore>;  // never destroyed: LibTorch may end before it
  c10d::TCPStoreOptions options;
  options.port = meeting.port;
  options.isServer = serve && !*served && !torchrun_keeps_the_store();
  options.waitWorkers = false;  // see rendezvous.h
  options.timeout = meeting.limit;
  auto store = within(meeting.limit + 5s, [host = meeting.host, options] {
    return c10::make_intrusive<c10d::TCPStore>(host, options);
  });
  if (!store) throw std::runtime_error("no answer");
  if (options.isServer && !protect_store(meeting.port, is_loopback(meeting.host)))
    say("note: port {}, by which the processes meet, could not be protected from strangers\n",
        meeting.port);
  if (options.isServer) *served = *store;
  const char* const restart = std::getenv("TORCHELASTIC_RESTART_COUNT");
  return c10::make_intrusive<c10d::PrefixStore>(
      fmt::format("mgdm/{}/{}", restart == nullptr ? "0" : restart, group), *store);
}

Place place_of(c10::Device device) {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return {compat::device_id(device), fmt::format("{} on {}", device.str(), host)};
}

c10::intrusive_ptr<Backend> make_gloo([[maybe_unused]] const c10::intrusive_ptr<c10d::Store>& store,
                                      [[maybe_unused]] const Meeting& meeting,
                                      [[maybe_unused]] const Ranks& ranks) {
#ifdef USE_C10D_GLOO
  const auto options = c10d::ProcessGroupGloo::Options::create(kForEver);
  // The machine's own name may not resolve, or to a loopback address. The address by which this
  // machine reaches the first process is one that the others reach.
  const char* const interface = std::getenv("GLOO_SOCKET_IFNAME");
  const std::string own = own_address(meeting.host);
  options->devices.push_back(interface != nullptr
                                 ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                             : own.empty() ? c10d::ProcessGroupGloo::createDefaultDevice()
                                           : c10d::ProcessGroupGloo::createDeviceForHostname(own));
  options->threads = 1;  // collectives come one after the other
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, ranks.rank, ranks.size, options);
#else
  throw Error("this mgdm was built without Gloo, which connects processes on CPUs",
              "libgloo-dev when mgdm is built", "one process, or device = cuda");
#endif
}

c10::intrusive_ptr<Backend> make_nccl([[maybe_unused]] const c10::intrusive_ptr<c10d::Store>& store,
                                      [[maybe_unused]] const Ranks& ranks) {
#ifdef USE_C10D_NCCL
  // NCCL's own monitor would end the process while the first rank evaluates; PeerWatch does this.
  ::setenv("TORCH_NCCL_ENABLE_MONITORING", "0", /*overwrite=*/0);
  const auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = kForEver;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, ranks.rank, ranks.size, options);
#else
  throw Error("this mgdm was built without NCCL, which connects processes on GPUs",
              "a CUDA LibTorch with nccl.h when mgdm is built", "one process, or the device cpu");
#endif
}

// What c10d throws, as our Error. The process that failed should be the first that is seen to end,
// so the others wait a moment.
template <class Work>
void with_peers(int rank, Work&& work) {
  try {
    work();
  } catch (const std::exception& error) {
    std::this_thread::sleep_for(1s);
    const std::string all = error.what();
    throw Error(
        fmt::format("rank {} lost another process: {}", rank, all.substr(0, all.find('\n'))),
        "all processes to go on",
        "see the output of the others; --resume continues from the last checkpoint");
  }
}

}  // namespace

ProcessGroup::ProcessGroup(c10::Device device) : device_(device) {
  const Ranks ranks = ranks_from_environment(device);
  if (ranks.size == 0) return;
  rank_ = ranks.rank;
  size_ = ranks.size;
  const Meeting meeting = meeting_from_environment();
  static int groups = 0;  // of this process, and so of all
  const int group = ++groups;
  auto state = std::make_unique<State>();
  try {
    state->store = connect(meeting, group, /*serve=*/rank_ == 0);
    meet(state->store, rank_, size_, place_of(device), meeting.limit);
    if (size_ > 1) {
      // Before the backend: Gloo connects to all of them, and waits for ever where one has died.
      state->watch = std::make_unique<PeerWatch>(
          rank_, size_,
          [store = connect(meeting, group, /*serve=*/false)](int rank, int n) -> long {
            return static_cast<long>(store->add(fmt::format("alive/{}", rank), n));
          });
    }
    state->backend =
        device.is_cuda() ? make_nccl(state->store, ranks) : make_gloo(state->store, meeting, ranks);
    // Nobody goes on, and perhaps ends with a complaint, while others still connect to it.
    meet(c10::make_intrusive<c10d::PrefixStore>("connected", state->store), rank_, size_, Place{},
         meeting.limit);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    const std::string all = error.what();
    throw Error(fmt::format("rank {} of {} could not meet the others at {}:{}: {}", rank_, size_,
                            meeting.host, meeting.port, all.substr(0, all.find('\n'))),
                fmt::format("all {} processes there within {} s", size_, meeting.limit.count()),
                "mgdm launch, or another MASTER_PORT");
  }
  state_ = std::move(state);
}

ProcessGroup::~ProcessGroup() {
  if (!state_) return;
#ifdef USE_C10D_NCCL
  if (auto* nccl = dynamic_cast<c10d::ProcessGroupNCCL*>(state_->backend.get());
      nccl != nullptr && state_->finished)
    compat::shut_down(*nccl);
#endif
  // After a failure the watch sees to it that this ends, too.
  state_->backend.reset();
  if (!state_->finished || size_ == 1) return;
  try {
    part(state_->store, rank_, size_, kGoodbye);
  } catch (const std::exception&) {
    // All the work is done, so a process that cannot tell the others that it ends may simply end.
  }
}

void ProcessGroup::all_reduce(at::Tensor tensor) {
  if (!state_) return;
  with_peers(rank_, [&] {
    std::vector<at::Tensor> tensors{tensor};
    state_->backend->allreduce(tensors)->wait();
  });
}

void ProcessGroup::broadcast(at::Tensor tensor) {
  if (!state_) return;
  with_peers(rank_, [&] {
    std::vector<at::Tensor> tensors{tensor};
    state_->backend->broadcast(tensors)->wait();
  });
}

void ProcessGroup::finish() {
  if (!state_) return;
  const at::Tensor nothing = at::zeros({1}, at::TensorOptions().device(device_).dtype(at::kFloat));
  all_reduce(nothing);
  nothing.item();  // on CUDA, waits for it
  // From here on nobody is missed who needs less time to leave than another.
  state_->watch.reset();
  state_->finished = true;
}

}  // namespace mgdm::distributed
