// Standard input, output and error, whether terminals, files, pipes or closed.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace mgdm {

// Opens closed standard streams on /dev/null, so that no file opened later gets their descriptors.
// Reading and writing there fails as before.
void open_standard_streams();

// Flushes standard output. Error when anything printed to it could not be written.
void flush_output();

// Prints a message for people. If it cannot be written (full disk, closed stream) it is lost
// without an error. A pipe without a reader ends the program by SIGPIPE, unless outlive_readers()
// was called.
void say_text(std::FILE* out, std::string_view text);

// Ignores SIGPIPE from here on, so that `| head` does not end long work whose results are files.
void outlive_readers();

template <class... Args>
void say_to(std::FILE* out, fmt::format_string<Args...> words, Args&&... args) {
  say_text(out, fmt::format(words, std::forward<Args>(args)...));
}

// Prints a message on standard error. Standard output is flushed first, so that the two are in
// order where both go to the same place.
template <class... Args>
void say(fmt::format_string<Args...> words, Args&&... args) {
  std::fflush(stdout);  // a failure is remembered for flush_output
  say_to(stderr, words, std::forward<Args>(args)...);
}

}  // namespace mgdm
