#include "training/status_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/standard_streams.h"

namespace mgdm::training {

std::string held_out_words(double loss, double token_accuracy, std::int64_t measured_at,
                           std::int64_t shown_step) {
  return fmt::format("held-out {:.4f}{} ({:.1f}% of tokens)", loss,
                     measured_at == shown_step ? "" : fmt::format(" at step {}", measured_at),
                     100 * token_accuracy);
}

StatusLine::StatusLine(bool quiet, std::FILE* out)
    : quiet_(quiet), out_(out), terminal_(::isatty(::fileno(out)) == 1) {}

StatusLine::~StatusLine() {
  if (drawn_ && terminal_) say_to(out_, "\n");
}

bool StatusLine::due(Clock::time_point now) const {
  const std::chrono::seconds pause(terminal_ ? 1 : 10);
  return !quiet_ && (!last_ || now - *last_ >= pause);
}

void StatusLine::show(const std::string& line, Clock::time_point now) {
  if (quiet_) return;
  draw_line(out_, terminal_, line);
  last_ = now;
  drawn_ = true;
}

void StatusLine::keep(const std::string& line) {
  if (quiet_) return;
  say_to(out_, "{}{}\n", terminal_ ? "\r\x1b[K" : "", line);
  drawn_ = false;
}

}  // namespace mgdm::training
