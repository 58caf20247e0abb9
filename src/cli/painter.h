// An answer as it fills in, for a person to watch.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "inference/steps.h"
#include "tasks/task.h"

namespace mgdm::cli {

// Prints each pass to standard output, every line behind `prefix`. On a terminal over the one
// before, in colour: green where the model is sure, yellow where it is not, red where it guesses,
// and what it has changed its mind about underlined. Elsewhere plain text, pass after pass.
class Painter {
 public:
  Painter(const tasks::Task& task, std::string prefix);

  // After a pass. False when the user wants to stop.
  bool paint(const inference::StepText& step);

 private:
  std::string drawn(const inference::StepText& step);

  const tasks::Task& task_;
  const std::string prefix_;
  const bool repaints_, colours_;
  std::string before_;    // the text of the pass before
  std::size_t rows_ = 0;  // of the terminal, painted last
};

// How many rows of a terminal a line takes that may have colours in it.
std::size_t rows_of(std::string_view line, std::size_t columns);

// What the colours mean, a line; empty where there are none.
std::string colour_legend();

// The drawing of an answer with its characters in colour: `drawing` is what the task draws of
// step.text, `before` the text of the pass before.
std::string coloured(const std::string& drawing, const inference::StepText& step,
                     const std::string& before);

}  // namespace mgdm::cli
