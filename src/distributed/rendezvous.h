// Start and end of a group of processes, through a store that the first process keeps.
//
// c10d's own wait for all processes cannot be used: it gives up silently in 1.13, and in later
// versions only the first process waits.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <string>
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

}  // namespace mgdm::distributed
