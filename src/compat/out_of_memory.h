// When memory runs out: LibTorch throws this for a GPU, that for a CPU; people need to know what to
// make smaller.
#pragma once

#include <exception>
#include <string>

#include "base/error.h"

namespace mgdm::compat {

// Not for an Error of ours, which says so in better words.
bool is_out_of_memory(const std::exception& error);

// Runs `work`; when memory runs out, an Error says what it was too little for and what to do.
template <class Work>
auto with_memory_for(const std::string& what, const std::string& hint, Work&& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
    throw Error("out of memory for " + what, "", hint);
  }
}

}  // namespace mgdm::compat
