#include "reproduction/faults.h"

#include "base/text.h"

namespace mgdm::reproduction {

Faults faults_of(const std::string& task) {
  constexpr std::string_view kCountdown = "countdown-";
  if (task == "planning")
    return {.others = {"wrong branch", "illegal edge", "broken chain", "stops short",
                       "malformed answer"}};
  if (task.starts_with(kCountdown)) {
    const auto numbers = parse_int(std::string_view(task).substr(kCountdown.size())).value_or(1);
    return {static_cast<int>(numbers) - 1,
            {"planning error", "calculation error"},
            {"number not available", "target missed", "numbers left over", "malformed answer"}};
  }
  if (task == "sudoku")
    return {.others = {"given changed", "row clash", "column clash", "box clash", "blank cell",
                       "not a digit", "wrong length"}};
  return {
      .others = {"unsatisfied clause", "variable missing", "variable twice", "malformed answer"}};
}

}  // namespace mgdm::reproduction
