#include "training/status_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <system_error>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/standard_streams.h"
#include "base/text.h"

namespace mgdm::training {

Budget::Budget(const TrainingSettings& settings, std::int64_t dataset_size) {
  const int named = (settings.epochs > 0) + (settings.steps > 0) + (settings.minutes > 0);
  if (named != 1)
    throw UsageError(fmt::format("training.epochs = {}, steps = {}, minutes = {}", settings.epochs,
                                 settings.steps, settings.minutes),
                     "exactly one of the three above 0",
                     named > 1 ? "0 for the others, as training.steps=0" : "training.steps=1000");
  if (settings.epochs > 0 && dataset_size == 0)
    throw UsageError("training.epochs with data without end", "training.steps or training.minutes");
  seconds_ = 60 * settings.minutes;
  steps_ = settings.steps;
  if (settings.epochs > 0)
    steps_ =
        std::max<std::int64_t>(1, std::llround(settings.epochs * static_cast<double>(dataset_size) /
                                               static_cast<double>(settings.batch)));
}

double Budget::fraction(std::int64_t steps_done, double seconds) const {
  const double done = steps_ > 0 ? static_cast<double>(steps_done) / static_cast<double>(steps_)
                                 : seconds / seconds_;
  return std::min(1.0, done);
}

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
