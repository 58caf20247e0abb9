#include "cli/solve_prompt.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "cli/line_editor.h"
#include "inference/models.h"

namespace mgdm::cli {
namespace {

constexpr const char* kHelp =
    "  a puzzle     answer it: 4 5 6 10 24, or 81 characters of a Sudoku\n"
    "  model NAME   let this model answer; model alone: the one that fits the puzzle\n"
    "  show         watch the model think; again: no longer\n"
    "  exact        answer the last puzzle by exact search\n"
    "  quit         leave, as Ctrl-D does\n";

// What follows a command's name; none when the line is no such command.
std::optional<std::string> after(std::string_view command, std::string_view line) {
  if (!line.starts_with(command)) return std::nullopt;
  const std::string_view rest = line.substr(command.size());
  if (!rest.empty() && rest.front() != ' ') return std::nullopt;
  return std::string(trim(rest));
}

}  // namespace

int solve_at_prompt(SolveSettings settings,
                    const std::function<void(const SolveSettings& settings)>& solve) {
  fmt::print("Type a puzzle, or help.\n");
  while (const auto typed = read_typed_line("mgdm> ")) {
    const std::string line(trim(*typed));
    if (line.empty()) continue;
    if (line == "quit" || line == "exit") break;
    try {
      if (line == "help") {
        fmt::print("{}", kHelp);
      } else if (const auto name = after("model", line)) {
        if (!name->empty()) inference::find_model(*name);  // an Error where there is none
        settings.model = *name;
      } else if (line == "show") {
        settings.show = !settings.show;
        fmt::print("show is {}\n", settings.show ? "on" : "off");
      } else if (line == "exact") {
        if (settings.puzzles.empty())
          throw Error("no puzzle to search", "a puzzle before this command");
        SolveSettings exact = settings;
        exact.exact = true;
        exact.show = false;
        exact.model = "";
        solve(exact);
      } else {
        settings.puzzles = {line};
        solve(settings);
      }
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      say("mgdm: {}\n", printable(error.what(), "\n"));
    }
    flush_output();
  }
  stop_if_interrupted();
  return 0;
}

}  // namespace mgdm::cli
