#include "base/error.h"

#include <fmt/format.h>

namespace mgdm {
namespace {

std::string message(const std::string& seen, const std::string& expected, const std::string& hint) {
  std::string text = seen;
  if (!expected.empty()) text += "\n  expected: " + expected;
  if (!hint.empty()) text += "\n  try: " + hint;
  return text;
}

}  // namespace

Error::Error(const std::string& seen, const std::string& expected, const std::string& hint)
    : std::runtime_error(message(seen, expected, hint)),
      seen_(seen),
      expected_(expected),
      hint_(hint) {}

std::string_view shown_path(std::string_view path) { return path == "-" ? "<stdin>" : path; }

std::string at(std::string_view path, std::size_t line) {
  path = shown_path(path);
  return line == 0 ? fmt::format("{}: ", path) : fmt::format("{}:{}: ", path, line);
}

void check_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(fmt::format("internal error at {}:{}: {} does not hold (please report it)",
                                     file, line, condition));
}

}  // namespace mgdm
