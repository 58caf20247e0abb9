// Standard input, output and error, whatever they lead to.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace mgdm {

// Those that are closed lead to /dev/null from here on, so that no file that is opened later takes
// their place. Reading and writing there fails as before.
void open_standard_streams();

// An Error when anything that was printed to standard output could not be written.
void flush_output();

// Words for people. That they cannot be written (the disk is full, the stream is closed) is no
// reason to end what they are about: they are lost. A pipe whose reader has gone ends a program by
// SIGPIPE as ever, unless it outlives its readers.
void say_text(std::FILE* out, std::string_view text);

// From here on readers may go away (| head): the program goes on, for work that takes long and
// whose results are files.
void outlive_readers();

template <class... Args>
void say_to(std::FILE* out, fmt::format_string<Args...> words, Args&&... args) {
  say_text(out, fmt::format(words, std::forward<Args>(args)...));
}

// The same on standard error, after what standard output holds back: they are in order where both
// lead to the same place.
template <class... Args>
void say(fmt::format_string<Args...> words, Args&&... args) {
  std::fflush(stdout);  // a failure is remembered for flush_output
  say_to(stderr, words, std::forward<Args>(args)...);
}

}  // namespace mgdm
