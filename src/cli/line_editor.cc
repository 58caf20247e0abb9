#include "cli/line_editor.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <memory>

#include "base/standard_streams.h"

#ifdef MGDM_HAVE_EDIT
#include <editline/readline.h>
#endif

namespace mgdm::cli {

#ifdef MGDM_HAVE_EDIT

std::optional<std::string> read_typed_line(const std::string& prompt) {
  flush_output();
  const std::unique_ptr<char, decltype(&std::free)> line(::readline(prompt.c_str()), &std::free);
  if (!line) return std::nullopt;
  if (*line != '\0') ::add_history(line.get());
  return std::string(line.get());
}

#else

std::optional<std::string> read_typed_line(const std::string& prompt) {
  fmt::print("{}", prompt);
  flush_output();
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

#endif

}  // namespace mgdm::cli
