// What every function of mgdm_c.h needs: exceptions become the thread's last error, texts are
// copied in and out.
#pragma once

#include <string>

#include "mgdm/mgdm.h"

namespace mgdm::api {

// Keeps the exception being handled as the last error of this thread.
void remember_failure() noexcept;

// Runs `work`; an exception of it is remembered, and `failed` comes back.
template <class Result, class Work>
Result or_remember(Result failed, Work&& work) noexcept {
  try {
    return work();
  } catch (...) {
    remember_failure();
    return failed;
  }
}

// A text that must be there: Failure names the argument that is NULL.
std::string text_of(const char* text, const char* argument);
// One that may be missing.
inline std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

// The object behind a handle.
template <class T>
T& object_of(T* object, const char* argument) {
  if (object == nullptr) throw Failure(std::string(argument) + " is NULL");
  return *object;
}

// An element of a list, by a number that a caller gave.
template <class List>
auto& element_of(const List& list, std::size_t index) {
  if (index >= list.size())
    throw Failure("there is no element " + std::to_string(index),
                  "a number below " + std::to_string(list.size()));
  return list[index];
}

// For mgdm_text_free.
char* copy_of(const std::string& text);

// Words of a list, a line each.
std::string lines_of(const std::vector<std::string>& words);

}  // namespace mgdm::api
