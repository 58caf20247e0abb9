// The two kinds of errors.
//
// Error       something the user can fix: what was seen, what is accepted, what to do.
// MGDM_CHECK  a bug in mgdm: names the place and throws std::logic_error.
//
//   throw Error(at(path, 12) + "the answer has 80 digits", "81 digits 1-9", "check the file");
//
// prints as
//   data.csv:12: the answer has 80 digits
//     expected: 81 digits 1-9
//     try: check the file
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mgdm {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& seen, const std::string& expected = "",
                 const std::string& hint = "");

  // The parts of what().
  const std::string& seen() const { return seen_; }
  const std::string& expected() const { return expected_; }
  const std::string& hint() const { return hint_; }

 private:
  std::string seen_, expected_, hint_;
};

// The command line or a setting is wrong: the program exits with 2 instead of 1.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Only mgdm-train, the program with LibTorch, can do what was asked.
class NeedsLibTorch : public Error {
 public:
  using Error::Error;
};

// The user pressed Ctrl-C: the program exits with 130.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// The result of `action`; if it throws an Error, that of otherwise(error). UsageError and
// Interrupted concern the whole program and are thrown on.
template <class Action, class Otherwise>
auto attempt(Action&& action, Otherwise&& otherwise) -> decltype(action()) {
  try {
    return action();
  } catch (const UsageError&) {
    throw;
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    return otherwise(error);
  }
}

// A path as messages show it: "<stdin>" for "-", standard input.
std::string_view shown_path(std::string_view path);

// "path:line: ", the prefix of every complaint about a line of a file (lines count from 1); "path:
// " for line 0, the file as a whole.
std::string at(std::string_view path, std::size_t line);

// Runs `parse`; an Error it throws is thrown again with at(path, line) in front.
template <class Parse>
auto with_location(std::string_view path, std::size_t line, Parse&& parse) {
  return attempt(parse, [&](const Error& error) -> decltype(parse()) {
    throw Error(at(path, line) + error.seen(), error.expected(), error.hint());
  });
}

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

// Reading on after a malformed line.

// Receives the error of a malformed line, file:line included. A reader without one throws instead.
using OnBadLine = std::function<void(const Error& error)>;

// The result of `parse`; none if it threw and on_bad received the error.
template <class Parse>
auto unless_bad(const OnBadLine& on_bad, Parse&& parse) -> std::optional<decltype(parse())> {
  using Parsed = std::optional<decltype(parse())>;
  if (!on_bad) return parse();
  return attempt([&] { return Parsed(parse()); },
                 [&](const Error& error) {
                   on_bad(error);
                   return Parsed();
                 });
}

}  // namespace mgdm

#define MGDM_CHECK(condition) \
  ((condition) ? void(0) : ::mgdm::check_failed(#condition, __FILE__, __LINE__))
