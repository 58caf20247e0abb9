#include "cli/solve_settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/threads.h"

namespace mgdm::cli {
namespace {

bool can_repaint() {
  const char* const terminal = std::getenv("TERM");
  return ::isatty(::fileno(stdout)) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

// Prints each pass; on a terminal over the one before, leaving what stands above it alone.
class Painter {
 public:
  Painter(const tasks::Task& task, std::string prefix)
      : task_(task), prefix_(std::move(prefix)), repaints_(can_repaint()) {}

  bool paint(const inference::StepText& step) {
    if (repaints_ && lines_ > 0) fmt::print("\x1b[{}A\x1b[J", lines_);
    const std::string text =
        fmt::format("step {}\n{}", step.pass + 1, printable(task_.drawn(step.text), "\n"));
    const auto lines = split(text, '\n');
    for (const std::string_view line : lines) fmt::print("{}{}\n", prefix_, line);
    lines_ = lines.size();
    std::fflush(stdout);
    if (repaints_) std::this_thread::sleep_for(std::chrono::milliseconds(150));
    return !interrupted();
  }

 private:
  const tasks::Task& task_;
  const std::string prefix_;
  const bool repaints_;
  std::size_t lines_ = 0;  // painted last
};

}  // namespace

void SolveSettings::visit(config::Visitor& v) {
  v.field("model", model, "a checkpoint folder, or the name of a model we ship");
  v.field("puzzles", puzzles, "puzzles as text");
  v.field("input", input,
          "a file of puzzles (JSONL, lines, Sudoku CSV) or one DIMACS formula; - reads lines or "
          "DIMACS from standard input");
  v.field("show", show, "watch the answer fill in");
  v.field("json", json, "one JSON object per puzzle");
  decode.visit(v);
  v.field("device", device, "auto, cpu, cuda or cuda:N");
  visit_threads(v, threads);
  v.field("quiet", quiet, "only the answers");
}

inference::Solved solve_shown(const inference::Reasoner& reasoner, const std::string& puzzle,
                              std::uint32_t item, const SolveSettings& settings,
                              const std::string& prefix) {
  Painter painter(reasoner.task(), prefix);
  inference::OnStepText on_step;
  if (settings.show) on_step = [&](const inference::StepText& step) { return painter.paint(step); };
  return inference::solve(reasoner, puzzle, item, settings.decode.over(reasoner), on_step);
}

}  // namespace mgdm::cli
