#include "training/status_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/progress.h"

namespace mgdm::training {

StatusLine::StatusLine(bool quiet) : quiet_(quiet), terminal_(::isatty(::fileno(stderr)) == 1) {}

StatusLine::~StatusLine() {
  if (drawn_ && terminal_) fmt::print(stderr, "\n");
}

void StatusLine::show(const std::string& line, bool important) {
  const auto now = Clock::now();
  const auto pause = terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10);
  if (quiet_ || (!important && now - last_ < pause)) return;
  last_ = now;
  draw_line(stderr, terminal_, line);
  if (important && terminal_) fmt::print(stderr, "\n");
  drawn_ = !important;
}

}  // namespace mgdm::training
