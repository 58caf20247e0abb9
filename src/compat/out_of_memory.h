// Running out of memory: LibTorch throws one type for a GPU and another for a CPU. The user needs
// to know what to make smaller.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "base/error.h"

namespace mgdm::compat {

// False for an Error of ours: its text is better.
bool is_out_of_memory(const std::exception& error);

// Runs `work`. When memory runs out, throws an Error that says what did not fit and what to do.
template <class Work>
auto with_memory_for(const std::string& what, const std::string& hint, Work&& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
    throw Error("out of memory for " + what, "", hint);
  }
}

// with_memory_for() of work on `count` puzzles at a time.
template <class Work>
auto with_memory_for_puzzles(std::size_t count, Work&& work) {
  return with_memory_for(
      std::to_string(count) + " puzzles at a time",
      count > 1 ? "--batch " + std::to_string(count / 2) + " (evaluation.batch in a recipe)"
                : "a smaller model, or a device with more memory",
      std::forward<Work>(work));
}

}  // namespace mgdm::compat
