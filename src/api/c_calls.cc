#include "api/c_calls.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "api/failure.h"
#include "mgdm/mgdm_c.h"

namespace mgdm::api {
namespace {

struct LastError {
  std::string message, seen, expected, hint;
};

LastError& last_error() {
  thread_local LastError error;
  return error;
}

// The exception being handled, whatever it is.
LastError described() {
  try {
    or_failure([] { throw; });
  } catch (const Failure& failure) {
    return {failure.what(), failure.seen(), failure.expected(), failure.hint()};
  } catch (const std::bad_alloc&) {
    return {"out of memory", "out of memory", "", ""};
  } catch (...) {
    return {"an exception of an unknown kind", "an exception of an unknown kind", "", ""};
  }
  return {};
}

}  // namespace

void remember_failure() noexcept {
  try {
    last_error() = described();
  } catch (const std::bad_alloc&) {
    last_error().message = last_error().seen = "out of memory";  // short enough to need none
  }
}

std::string text_of(const char* text, const char* argument) {
  if (text == nullptr) throw Failure(std::string(argument) + " is NULL", "a text");
  return text;
}

char* copy_of(const std::string& text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

std::string lines_of(const std::vector<std::string>& words) {
  std::string lines;
  for (const std::string& word : words) lines += (lines.empty() ? "" : "\n") + word;
  return lines;
}

}  // namespace mgdm::api

const char* mgdm_error(void) { return mgdm::api::last_error().message.c_str(); }
const char* mgdm_error_seen(void) { return mgdm::api::last_error().seen.c_str(); }
const char* mgdm_error_expected(void) { return mgdm::api::last_error().expected.c_str(); }
const char* mgdm_error_hint(void) { return mgdm::api::last_error().hint.c_str(); }

void mgdm_text_free(char* text) { std::free(text); }
