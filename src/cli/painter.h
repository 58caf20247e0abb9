// Shows an answer filling in on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "inference/steps.h"
#include "tasks/task.h"

namespace mgdm::cli {

// Prints each pass to standard output, every line behind `prefix`. On a terminal a pass overwrites
// the one before. Colours show the model's confidence (green: sure, yellow: not sure, red: a
// guess), and changed tokens are underlined. Elsewhere the passes are plain text.
class Painter {
 public:
  // `color` is "auto" (where a terminal has them), "always" or "never".
  Painter(const tasks::Task& task, std::string prefix, std::string_view color = "auto");

  // Shows a pass. Returns false when the user pressed Ctrl-C.
  bool paint(const inference::StepText& step);

 private:
  std::string drawn(const inference::StepText& step);

  const tasks::Task& task_;
  const std::string prefix_;
  const bool repaints_, colours_;
  std::string before_;    // the text of the pass before
  std::size_t rows_ = 0;  // of the terminal, painted last
};

// The number of terminal rows that a line takes; colour codes take none.
std::size_t rows_of(std::string_view line, std::size_t columns);

// A line that explains the colours; empty where there are none.
std::string colour_legend(std::string_view color = "auto");

// The drawing of an answer with its characters in colour. `drawing` is the task's drawing of
// step.text; `before` is the text of the previous pass.
std::string coloured(const std::string& drawing, const inference::StepText& step,
                     const std::string& before);

}  // namespace mgdm::cli
