// Start and end of a group of processes, through a store that the first process keeps.
//
// c10d's own wait for all processes cannot be used: it gives up silently in 1.13, and in later
// versions only the first process waits.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

namespace mgdm::distributed {

using SharedStore = c10::intrusive_ptr<c10d::Store>;

// The device of a process. No two processes may have the same id; an empty id can be shared.
struct Place {
  std::string id;
  std::string words;  // for messages: "cuda:0 on HOST"
};

// Returns when all processes are there. The Error names the missing ones, or two on the same
// device.
void meet(const SharedStore& store, int rank, int size, const Place& place,
          std::chrono::milliseconds limit);

// The end of every process. The first one waits up to `limit` for all others, since the store ends
// with it.
void part(const SharedStore& store, int rank, int size, std::chrono::milliseconds limit);

// Whether an address is this machine's own (MASTER_ADDR of `mgdm launch`).
bool is_loopback(std::string_view host);

// The numeric address by which this machine reaches `host`, so that `host` reaches it there, too.
// Empty when the name does not resolve.
std::string own_address(const std::string& host);

// Protects the socket of this process that listens at a port. c10d's store listens on all
// interfaces, and nine bytes from a stranger make it wait for more while all processes wait for it.
// From here on the store drops a client that stops within a message for three seconds, and with
// `this_machine_only` does not hear other machines. False where the system cannot do that.
bool protect_store(std::uint16_t port, bool this_machine_only);

}  // namespace mgdm::distributed
