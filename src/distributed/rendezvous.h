// How processes meet and part in a store that the first of them keeps.
//
// c10d has no such thing to rely on: its own wait for all processes gives up silently in 1.13, and
// later only the first process waits.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

namespace mgdm::distributed {

using SharedStore = c10::intrusive_ptr<c10d::Store>;

// What a process computes on. No two may have the same id; an empty one can be shared.
struct Place {
  std::string id;
  std::string words;  // for messages: "cuda:0 on HOST"
};

// Returns when all have come. An Error names those that have not in that time, or two processes in
// one place.
void meet(const SharedStore& store, int rank, int size, const Place& place,
          std::chrono::milliseconds limit);

// The last word of every process. The first one waits for all others, as long as `limit`, since the
// store goes with it.
void part(const SharedStore& store, int rank, int size, std::chrono::milliseconds limit);

}  // namespace mgdm::distributed
