#include "training/status_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>
#include <system_error>

#include "base/interrupt.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"

namespace mgdm::training {

std::string held_out_words(double loss, double token_accuracy, std::int64_t measured_at,
                           std::int64_t shown_step) {
  return fmt::format("held-out {:.4f}{} ({:.1f}% of tokens)", loss,
                     measured_at == shown_step ? "" : fmt::format(" at step {}", measured_at),
                     100 * token_accuracy);
}

StatusLine::StatusLine(bool quiet, std::FILE* out)
    : quiet_(quiet), out_(out), terminal_(::isatty(::fileno(out)) == 1) {
  if (quiet) return;
  try {
    watcher_ = std::jthread([this](const std::stop_token& end) { watch(end); });
  } catch (const std::system_error&) {
  }
}

StatusLine::~StatusLine() {
  watcher_ = {};
  if (drawn_ && terminal_) say_to(out_, "\n");
}

void StatusLine::watch(const std::stop_token& end) {
  using namespace std::chrono_literals;
  bool told = false, answered = false;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex_);
  const auto draw = [&](const char* line, bool& done) {
    draw_line(out_, terminal_, line);
    drawn_ = done = true;
  };
  while (!ended.wait_for(lock, end, 100ms, [] { return false; }) && !end.stop_requested()) {
    if (!step_) continue;
    if (interrupted() && !answered)
      draw("stopping after this step, and saving; Ctrl-C again: at once", answered);
    if (!told && !answered && !last_ && Clock::now() - *step_ >= 2s)
      draw("the first step is under way ...", told);
  }
}

void StatusLine::step_begins() {
  const std::lock_guard lock(mutex_);
  step_ = Clock::now();
}

void StatusLine::step_ends() {
  const std::lock_guard lock(mutex_);
  step_.reset();
}

bool StatusLine::due(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const std::chrono::seconds pause(terminal_ ? 1 : 10);
  return !quiet_ && (!last_ || now - *last_ >= pause);
}

void StatusLine::show(const std::string& line, Clock::time_point now) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  draw_line(out_, terminal_, line);
  last_ = now;
  drawn_ = true;
}

void StatusLine::keep(const std::string& line) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  say_to(out_, "{}{}\n", terminal_ ? "\r\x1b[K" : "", printable(line));
  drawn_ = false;
}

}  // namespace mgdm::training
