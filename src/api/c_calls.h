// Helpers of the functions in mgdm_c.h: exceptions become the thread's last error, texts are copied
// in and out.
#pragma once

#include <string>

#include "mgdm/mgdm.h"

namespace mgdm::api {

// Keeps the exception being handled as the last error of this thread.
void remember_failure() noexcept;

// Runs `work` and returns its result; if it throws, remembers the exception and returns `failed`.
template <class Result, class Work>
Result or_remember(Result failed, Work&& work) noexcept {
  try {
    return work();
  } catch (...) {
    remember_failure();
    return failed;
  }
}

// A required text: if it is NULL, Failure names the argument.
std::string text_of(const char* text, const char* argument);
// An optional text.
inline std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

// The object behind a handle.
template <class T>
T& object_of(T* object, const char* argument) {
  if (object == nullptr) throw Failure(std::string(argument) + " is NULL");
  return *object;
}

// The element of a list at an index from the caller.
template <class List>
auto& element_of(const List& list, std::size_t index) {
  if (index >= list.size())
    throw Failure("there is no element " + std::to_string(index),
                  "a number below " + std::to_string(list.size()));
  return list[index];
}

// A copy that the caller frees by mgdm_text_free.
char* copy_of(const std::string& text);

// The words of a list, one per line.
std::string lines_of(const std::vector<std::string>& words);

}  // namespace mgdm::api
